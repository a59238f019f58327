"""The list of courses: one for each game, with the visitor's progress in it."""

from html import escape

from randori.app.page.emblems import emblem
from randori.app.page.frame import Visit, frame
from randori.app.page.parts import picture, text
from randori.app.service.practice import Practice, Standing


async def show(visit: Visit, practice: Practice) -> None:
    standings = await practice.standings(visit.profile.id)
    with frame("Practice", "/practice"):
        text("h1", "Practice")
        text(
            "p", "Positions with one right move, which is proved. What you miss comes back soon, what you solve later."
        )
        picture("".join(map(_card, standings)), "courses")


def _card(it: Standing) -> str:
    """A link to the course of a game."""
    rows, columns = it.game.shape
    title = f"{escape(it.game.title.removesuffix(f' {rows}x{columns}'))} <small>{columns} x {rows}</small>"
    share = 100 * it.met // max(it.puzzles, 1)
    return (
        f'<a class="course" href="/practice/{it.game.name}"><span class="emblem">{emblem(it.game.knowledge.look.kind)}</span>'
        f'<span class="words"><span class="name">{title}</span><span class="note">{_stand(it)}</span>'
        f'<span class="bar" aria-hidden="true"><span style="width: {share}%"></span></span></span></a>'
    )


def _stand(it: Standing) -> str:
    if not it.met:
        return f"{it.puzzles} puzzles"
    due = f", {it.due} to repeat" if it.due else ""
    return f"{it.met} of {it.puzzles} met{due}; rating {it.skill.elo:.0f}"
