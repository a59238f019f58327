"""A memory of evaluations in two generations: once the recent one is full it becomes the older one, whose rows move to the
new one when they are asked for and are forgotten otherwise.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import hash_words
from randori.kernels.compile import inner, kernel
from randori.kernels.records import Float32s, Float64s, Int32s, Int64s, Words, allocate, numba_type, pointers
from randori.kernels.rules import ahead, row


class Memory(NamedTuple):
    """Rows of both generations, those of the second after those of the first."""

    states: Annotated[Words, "2 * n_rows, n_words"]
    values: Annotated[Float64s, "2 * n_rows"]
    policies: Annotated[Float32s, "2 * n_rows, n_actions"]
    known: Annotated[Int32s, "2 * n_slots"]  # rows by the hash of their position; -1 where free
    used: Annotated[Int64s, "2"]  # rows
    recent: Annotated[Int64s, "1"]  # generation, 0 or 1
    n_rows: int
    n_words: int
    n_actions: int
    n_slots: int  # a power of two


MEMORY = numba_type(Memory)
_STATES, _POLICIES = types.Array(types.uint64, 2, "C"), types.Array(types.float32, 2, "C")
_VALUES, _ROWS = types.Array(types.float64, 1, "C"), types.Array(types.int64, 1, "C")


def empty_memory(n_rows: int, n_words: int, n_actions: int) -> Memory:
    """With room for so many rows in each generation."""
    # At most half of the slots fill, so that probes stay short.
    n_slots = 1 << (2 * n_rows).bit_length()
    memory = allocate(Memory, np.zeros, n_rows=n_rows, n_words=n_words, n_actions=n_actions, n_slots=n_slots)
    memory.known[:] = -1
    return memory


@inner
def _slot_of(memory, generation, state):
    """Where the position is known in a generation, or the free slot where it would be."""
    last = memory.n_slots - 1
    slot = np.int64(hash_words(state, memory.n_words) & np.uint64(last))
    while memory.known[generation * memory.n_slots + slot] >= 0:
        other = ahead(memory.states, memory.known[generation * memory.n_slots + slot] * memory.n_words)
        w = 0
        while w < memory.n_words and state[w] == other[w]:
            w += 1
        if w == memory.n_words:
            break
        slot = (slot + 1) & last
    return generation * memory.n_slots + slot


@inner
def _copy(source, target, n):
    for place in range(n):
        target[place] = source[place]


@inner
def _add(memory, state, value, policy):
    """A row of the recent generation, where the position is not known yet."""
    generation = memory.recent[0]
    place = generation * memory.n_rows + memory.used[generation]
    memory.known[_slot_of(memory, generation, state)] = place
    memory.used[generation] += 1
    _copy(state, ahead(memory.states, place * memory.n_words), memory.n_words)
    memory.values[place] = value
    _copy(policy, ahead(memory.policies, place * memory.n_actions), memory.n_actions)


@inner
def _turn_over(memory):
    generation = 1 - memory.recent[0]
    memory.recent[0] = generation
    memory.used[generation] = 0
    for slot in range(memory.n_slots):
        memory.known[generation * memory.n_slots + slot] = -1


@kernel(types.int64(MEMORY, types.int64, _STATES, _VALUES, _POLICIES, _ROWS))
def recall(arrays, positions, states, values, policies, missing):
    """Writes what is known of positions, lists the rows of the others in `missing` and returns how many they are.

    A generation with more rows than `positions` is full; it has room for as many more as are asked for at once.
    """
    memory = pointers(arrays)
    if memory.used[memory.recent[0]] > positions:
        _turn_over(memory)
    recent = memory.recent[0]
    n = 0
    for i in range(states.shape[0]):
        state = row(states, i)
        place = np.int64(memory.known[_slot_of(memory, recent, state)])
        is_older = place < 0
        if is_older:
            place = np.int64(memory.known[_slot_of(memory, 1 - recent, state)])
        if place < 0:
            missing[n] = i
            n += 1
            continue
        policy = ahead(memory.policies, place * memory.n_actions)
        if is_older:
            _add(memory, state, memory.values[place], policy)
        values[i] = memory.values[place]
        _copy(policy, row(policies, i), memory.n_actions)
    return n


@kernel(types.void(MEMORY, _STATES, _ROWS, _VALUES, _POLICIES, _VALUES, _POLICIES))
def keep(arrays, states, missing, told_values, told_policies, values, policies):
    """Remembers what was told of the rows in `missing`, and writes it."""
    memory = pointers(arrays)
    for k in range(missing.size):
        i = missing[k]
        _add(memory, row(states, i), told_values[k], row(told_policies, k))
        values[i] = told_values[k]
        _copy(row(told_policies, k), row(policies, i), memory.n_actions)
