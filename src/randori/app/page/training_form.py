"""The form that starts a training: learner, game, time and settings."""

import asyncio
from collections.abc import Mapping

from nicegui import ui

from randori import methods
from randori.app.page.parts import box, change, choice, entry, event_handler, set_text, text
from randori.app.page.values import spoken
from randori.app.service.claims import Who
from randori.app.service.menu import game_named, offered
from randori.app.service.refusals import Invalid
from randori.app.service.settings import Setting, Wishes, main_settings
from randori.app.service.trainings import BUDGETS, Trainings
from randori.errors import UserError
from randori.methods import Preset

_FIRST_LEARNER, _FIRST_GAME, _FIRST_BUDGET, _FIRST_PRESET = "evolution", "tictactoe", "1m", "default"
_SETTING = "setting "
"""Before the name of a learner's own setting."""
# A press sends the whole form: while a page is still connecting, a choice may arrive after the press.
_SEND_FORM = """(event) => emit(Object.fromEntries(
  [...event.target.closest('.training').querySelectorAll('select, input')].map((it) => [it.name, it.value])))"""


class TrainingForm:
    """Presets and settings are those of the chosen learner; a preset fills the settings in."""

    def __init__(self, who: Who, trainings: Trainings) -> None:
        self._who, self._trainings = who, trainings
        self._learner, self._presets, self._settings = "", dict[str, Preset](), list[Setting]()

    async def build(self) -> None:
        kinds = {name: f"{name}: {kind.summary}" for name, kind in methods.all_methods().items()}
        with box("section", "training", aria_label="Start a training"):
            with box("div", "form"):
                _named("learner", choice("Learner", kinds, _FIRST_LEARNER, self._choose_learner))
                titles = {name: game_named(name).title for name in offered()}
                _named("game", choice("Game", titles, _FIRST_GAME))
                _named("budget", choice("Time", BUDGETS, _FIRST_BUDGET))
                start = text("button", "Start", "button main").props("type=button id=train")
                start.on("click", event_handler(lambda event: self._start(event.args)), js_handler=_SEND_FORM)
            with box("details", "learning-settings"):
                text("summary", "Settings")
                with box("div", "form"):
                    self._preset_place = ui.element("div")
                    seed = {"type": "number", "min": "0", "step": "1", "name": "seed", "inputmode": "numeric"}
                    entry("Seed", "0", **seed)
                self._place = ui.element("div").classes("setting-list")
        self._refusal = text("p", "", "status").props("role=alert id=refusal")
        await self._choose_learner(_FIRST_LEARNER)

    async def _choose_learner(self, name: str) -> None:
        if name not in methods.all_methods():
            return
        method = methods.find(name)
        try:
            presets = dict(await asyncio.to_thread(method.load_presets))
            settings = await asyncio.to_thread(main_settings, method)
        except UserError as error:
            presets, settings = {}, []
            set_text(self._refusal, str(error))
        self._learner, self._presets, self._settings = name, presets, settings
        self._preset_place.clear()
        with self._preset_place:
            shown = {it: f"{it}: {preset.summary}" for it, preset in presets.items()}
            _named("preset", choice("Preset", shown, _FIRST_PRESET, self._fill_in))
        self._fill_in(_FIRST_PRESET)

    def _fill_in(self, preset: str) -> None:
        self._place.clear()
        if preset not in self._presets:
            return
        config = self._presets[preset].config
        with self._place:
            for it in self._settings:
                _field(it, it.text(config))

    async def _start(self, sent: object) -> None:
        try:
            # The names of fields are the browser's to send, so they are checked as all it sends.
            if not isinstance(sent, dict) or not {"learner", "game", "budget"} <= sent.keys():
                raise Invalid("Choose a learner, a game and a time.")
            form = {str(key): str(value) for key, value in sent.items()}
            chosen = form["learner"], form["game"], form["budget"], _wishes(form, form["learner"] == self._learner)
            name = await asyncio.to_thread(self._trainings.start, self._who, *chosen)
        except UserError as error:
            set_text(self._refusal, str(error))  # which may be a command to type: it has to stay
            return
        ui.navigate.to(f"/learning/{name}")


def _wishes(form: Mapping[str, str], is_for_learner: bool) -> Wishes:
    """Settings of another learner, shown because a choice has not arrived yet, are left out."""
    settings = {key.removeprefix(_SETTING): it for key, it in form.items() if key.startswith(_SETTING)}
    preset = form.get("preset", _FIRST_PRESET) if is_for_learner else _FIRST_PRESET
    return Wishes(preset, form.get("seed", "0"), settings if is_for_learner else {})


def _field(setting: Setting, value: str) -> None:
    with box("div", "setting"):
        if setting.choices:
            _named(_SETTING + setting.name, choice(spoken(setting.name), {it: it for it in setting.choices}, value))
        else:
            step = "1" if setting.kind is int else "any"
            bounds = {"type": "number", "step": step, "max": str(setting.most), "name": _SETTING + setting.name}
            entry(spoken(setting.name), value, **bounds)
        text("span", setting.help, "note")


def _named(name: str, select: ui.element) -> None:
    change(select, name=name)
