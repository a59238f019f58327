"""Callbacks by which a long computation reports how far it is."""

from collections.abc import Callable
from dataclasses import dataclass

from randori.experiments.spent import Spent


@dataclass(frozen=True)
class ProgressCallbacks:
    on_step: Callable[[str], None] = lambda step: None
    """A step begins: gets its description."""
    on_step_update: Callable[[str], None] = lambda step: None
    """The current step has a new description; this happens too often for a log."""
    on_task_end: Callable[[Spent, int, int], None] = lambda spent, n_ended, n_tasks: None
    """A task ends: gets the CPU time spent so far, and how many tasks of how many have ended."""
    on_estimate: Callable[[float], None] = lambda cpu_seconds: None
    """Gets a new estimate of the CPU seconds that are left."""
