"""A chance as a small picture."""


def value_bar(value: float) -> str:
    """A bar from lost to won for the side to move."""
    share = 50 + 50 * value
    return (
        f'<span class="bar" role="img" aria-label="{share:.0f}% for the side to move">'
        f'<span style="width:{share:.0f}%"></span></span><b>{share:.0f}%</b>'
    )
