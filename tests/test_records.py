"""Records of arrays for kernels: what is derived from one declaration."""

from typing import Annotated, NamedTuple

import numba
import numpy as np
import pytest

from randori.kernels import gumbel, solver, trees
from randori.kernels.forest import Queue
from randori.kernels.records import Float32s, Int64s, Words, allocate, numba_type, pointers
from randori.kernels.rules import ahead
from randori.methods.som.kernels import lookup, sparring
from randori.networks.kernels import residual

SIDES = 2


class Part(NamedTuple):
    numbers: Annotated[Float32s, "n"]
    others: Annotated[Float32s, "max(n, 3)"]


class Whole(NamedTuple):
    words: Annotated[Words, "n, SIDES"]
    cube: Annotated[Int64s, "SIDES, n, 2 * m"]
    n: int
    share: float
    part: Part


@numba.njit
def read(record):
    bare = pointers(record)
    return bare.words[3], ahead(bare.cube, 1)[0], bare.n, bare.share, bare.part.numbers[1]


def a_whole() -> Whole:
    part = allocate(Part, np.zeros, n=4)
    part.numbers[:] = [0.5, 1.5, 2.5, 3.5]
    return Whole(np.arange(8, dtype=np.uint64).reshape(4, 2), np.arange(24).reshape(2, 3, 4), 4, 0.25, part)


def test_numba_sees_a_record_as_it_was_declared() -> None:
    assert numba.typeof(a_whole()) == numba_type(Whole)
    assert numba.typeof(a_whole().part) == numba_type(Part)


def test_pointers_lead_to_what_the_arrays_hold() -> None:
    assert read(a_whole()) == (3, 1, 4, 0.25, 1.5)


def test_arrays_have_the_shapes_declared() -> None:
    part = allocate(Part, np.ones, n=2)
    assert [it.shape for it in part] == [(2,), (3,)]
    assert part.numbers.dtype == np.float32
    assert part.others.sum() == 3
    with pytest.raises(NameError):
        allocate(Part, np.zeros, m=2)


@pytest.mark.parametrize(
    "record",
    [trees.Tree, gumbel.Roots, Queue, solver.Search, lookup.Lookup, sparring.Room, residual.Room],
)
def test_a_kernel_takes_what_is_allocated_for_it(record: type[tuple[object, ...]]) -> None:
    names = "T N E W leaves slots n_actions considered n_plies n_words n_entries n_facts top squares turns lanes blocks"
    more = "boards high wide planes width points point_stride sums_stride tiles units entry_words"
    allocated = allocate(record, np.zeros, **dict.fromkeys(f"{names} {more}".split(), 2))
    assert numba.typeof(allocated) == numba_type(record)
