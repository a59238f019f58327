"""Recipe, run, report: the one place where learning and playing meet."""

from randori.experiments.cpu import CountingWorkers
from randori.experiments.recipe import Recipe
from randori.experiments.run import Progress, publish
from randori.experiments.train import Ending, train

__all__ = ["CountingWorkers", "Ending", "Progress", "Recipe", "publish", "train"]
