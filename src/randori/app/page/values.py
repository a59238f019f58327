"""Settings and figures as people read them, without loss of precision."""

from collections.abc import Mapping
from html import escape
from typing import Any


def words(value: Any) -> str:
    """A number keeps the digits that it needs: a rate of 0.002 is not 0.0."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.10g}"
    if isinstance(value, dict):
        return ", ".join(f"{spoken(key)} {words(it)}" for key, it in value.items())
    return ", ".join(map(words, value)) if isinstance(value, list | tuple) else str(value)


def spoken(name: str) -> str:
    """The name of a setting, as one says it."""
    return name.replace("_", " ").replace("cpu ", "CPU ")


def facts_list(facts: Mapping[str, Any]) -> str:
    """Names and values, as markup."""
    rows = (f"<dt>{escape(spoken(name))}</dt><dd>{escape(words(value))}</dd>" for name, value in facts.items())
    return f"<dl>{''.join(rows)}</dl>"
