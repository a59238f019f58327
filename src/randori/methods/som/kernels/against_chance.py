"""Games against random moves that teach the value of each place of a map (Kamei and Kakizoe 2017, section 5)."""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import nth_set_bit, random_below, random_unit
from randori.kernels.compile import inner, kernel
from randori.kernels.last_moves import best_ending, empty_line, play_copy
from randori.kernels.records import numba_type
from randori.kernels.rules import CELLS, MOVE_WORDS, PLIES, RULES, WORDS, cell, legal, outcome, play, row, start
from randori.methods.som.kernels.lookup import LOOKUP, MAPS, look_at, move_base, place_of

TD, DIVIDED, SPLIT = 0, 1, 2
"""Eqs. 7 and 9; Monte Carlo by eq. 8 as it is printed; and as section 7.3.2 explains it."""


class Terms(NamedTuple):
    """How the paper's agent learns: eqs. 7 to 9 and Table 3."""

    method: int  # TD, DIVIDED or SPLIT
    rate: float  # alpha
    discount: float  # gamma
    trace_decay: float  # lambda
    exploring: float  # epsilon
    win: float  # rewards
    loss: float
    move: float
    exact: int  # with so many squares left, or fewer, search to the end chooses the move


TERMS = numba_type(Terms)


class Agent(NamedTuple):
    """The paper's agent at work, all as pointers but the terms."""

    sight: Any
    first_entries: Any
    """`[squares + 1]`: the entry in `values` of a map's first neuron, by the number of stones on the board."""
    terms: Any
    values: Any
    """The table that is learned."""
    n: Any
    """`[1]`: how many entries of the table this game has visited."""
    entries: Any
    traces: Any
    """How far each of them is still to be blamed."""


@inner
def _reinforce(agent, reward, next_value):
    """Eq. 9 for the entries of the game so far; eq. 7 where the traces do not last."""
    terms = agent.terms
    error = reward + terms.discount * next_value - agent.values[agent.entries[agent.n[0] - 1]]
    for i in range(agent.n[0]):
        agent.values[agent.entries[i]] += terms.rate * error * agent.traces[i]
        agent.traces[i] *= terms.discount * terms.trace_decay


@inner
def _visit(agent, entry):
    """The agent has moved to the position of this entry."""
    if agent.terms.method == TD and agent.n[0] > 0:
        _reinforce(agent, agent.terms.move, agent.values[entry])
    n, trace = 0, 1.0
    for i in range(agent.n[0]):
        # The entry visited last stays last, also where it was there before.
        if agent.terms.method == TD and agent.entries[i] == entry:
            trace += agent.traces[i]
        else:
            agent.entries[n], agent.traces[n] = agent.entries[i], agent.traces[i]
            n += 1
    agent.entries[n], agent.traces[n] = entry, trace
    agent.n[0] = n + 1


@inner
def _conclude(agent, reward):
    n = agent.n[0]
    if agent.terms.method == TD and n > 0:
        _reinforce(agent, reward + agent.terms.move, 0.0)
    if agent.terms.method == DIVIDED:
        for i in range(n):
            # The return at the agent's move t = i + 1 counts this move and those after it.
            agent.values[agent.entries[i]] += (reward + agent.terms.move * (n - i)) / (i + 1)
    if agent.terms.method == SPLIT:
        for i in range(n):
            agent.values[agent.entries[i]] += (reward + agent.terms.move * n) / n


@inner
def _count_stones(rules, state):
    n = 0
    for square in range(rules[CELLS]):
        n += cell(rules, state, square) != 0
    return n


@inner
def _prefer(rules, agent, state, moves, count, child, first_entry, stream):
    """The number of the move to the most valuable position, and that position's place; equals are drawn by lot."""
    best, pick, pick_place, equals = -np.inf, 0, 0, 0
    for k in range(count):
        play_copy(rules, state, nth_set_bit(moves, k), child)
        place = place_of(agent.sight, rules, child, -1)
        value = agent.values[first_entry + place]
        if value > best:
            best, pick, pick_place, equals = value, k, place, 1
        elif value == best:
            equals += 1
            if random_below(stream, equals) == 0:
                pick, pick_place = k, place
    return pick, pick_place


@inner
def _move(rules, agent, state, moves, count, child, line, stream):
    """The agent moves to `child`, and learns from having come there. A pass is no move of the paper's."""
    stones = _count_stones(rules, state)
    play_copy(rules, state, nth_set_bit(moves, 0), child)
    if _count_stones(rules, child) == stones:
        return
    move_base(agent.sight, rules, state, 1, agent.sight.maps.stages[stones + 1])
    first_entry = agent.first_entries[stones + 1]
    place = -1
    if rules[CELLS] - stones <= agent.terms.exact:
        pick = best_ending(rules, state, moves, count, line, child)
    elif random_unit(stream) < agent.terms.exploring:
        pick = random_below(stream, count)
    else:
        pick, place = _prefer(rules, agent, state, moves, count, child, first_entry, stream)
    play_copy(rules, state, nth_set_bit(moves, pick), child)
    if place < 0:
        place = place_of(agent.sight, rules, child, -1)
    _visit(agent, first_entry + place)


@inner
def _play_game(rules, agent, state, moves, child, line, stream):
    """A game that the agent begins; returns its outcome for the agent."""
    start(rules, state)
    agent.n[0] = 0
    while True:
        count = legal(rules, state, moves)
        if count == 0:
            return outcome(rules, state)
        _move(rules, agent, state, moves, count, child, line, stream)
        for word in range(rules[WORDS]):
            state[word] = child[word]
        count = legal(rules, state, moves)
        if count == 0:
            return -outcome(rules, state)
        play(rules, state, nth_set_bit(moves, random_below(stream, count)))


@kernel(
    types.void(
        RULES, MAPS, LOOKUP, types.boolean, types.Array(types.int64, 1, "C"), TERMS,
        types.Array(types.float64, 1, "C"), types.Array(types.uint64, 1, "C"), types.Array(types.int8, 1, "C"),
    )
)  # fmt: skip
def learn_against_chance(rules, maps, lookup, occupied_only, first_entries, terms, values, stream, outcomes):
    """One game for each of `outcomes`, the agent's own, against random moves; changes `values` as it goes.

    The other arguments are as in `Sight` and `Agent`.
    """
    states, moves = np.zeros((2, rules[WORDS]), np.uint64), np.zeros(rules[MOVE_WORDS], np.uint64)
    n, entries, traces = np.zeros(1, np.int64), np.zeros(rules[PLIES], np.int64), np.zeros(rules[PLIES])
    line = empty_line(rules, rules[CELLS])
    agent = Agent(
        look_at(maps, lookup, occupied_only), row(first_entries, 0), terms, row(values, 0), row(n, 0), row(entries, 0),
        row(traces, 0),
    )  # fmt: skip
    for game in range(outcomes.size):
        result = _play_game(rules, agent, row(states, 0), row(moves, 0), row(states, 1), line, stream)
        _conclude(agent, terms.win if result > 0 else terms.loss if result < 0 else 0.0)
        outcomes[game] = result
    # What only pointers lead to must not be freed before.
    n[0], entries[0], traces[0] = 0, 0, 0.0
