"""A board as a picture."""

import numpy as np
from numpy.typing import NDArray

_PIXELS = 24
_BOARD, _LINE, _FIRST, _SECOND = (46, 120, 82), (30, 84, 58), (24, 24, 24), (238, 238, 232)


def board_image(cells: NDArray[np.int8]) -> NDArray[np.uint8]:
    """`[height, width, 3]` for cells `[H, W]` that are 1 for the side that began, -1 for the other, 0 empty."""
    rows, columns = (np.arange(n * _PIXELS) for n in cells.shape)
    image = np.empty((len(rows), len(columns), 3), np.uint8)
    image[:] = _BOARD
    image[rows % _PIXELS == 0] = _LINE
    image[:, columns % _PIXELS == 0] = _LINE
    centre = (_PIXELS - 1) / 2
    distance = np.hypot((rows % _PIXELS - centre)[:, None], (columns % _PIXELS - centre)[None, :])
    stones = np.repeat(np.repeat(cells, _PIXELS, axis=0), _PIXELS, axis=1) * (distance < 0.42 * _PIXELS)
    image[stones == 1] = _FIRST
    image[stones == -1] = _SECOND
    return image
