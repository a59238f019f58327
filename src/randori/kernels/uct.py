"""UCT: a tree a position, grown by playouts, all inside one kernel.

Guided by visits alone (Kocsis & Szepesvari 2006) an edge scores `mean + c * sqrt(ln N / n)`, where N is the passes of
its node and n its own visits, once every edge of the node has been visited. Guided by priors (Rosin 2011, in AlphaZero's
form) it scores `mean + c * prior * sqrt(1 + N) / (1 + n)`, with a mean of 0 before its first visit.

Random numbers are drawn in this order: one to pick an edge that is new, if priors do not, then those of the playout.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import U0, U1, lowest, nth_set_bit, random_below, random_unit
from randori.kernels.compile import inlined, inner, kernel
from randori.kernels.playouts import result_after
from randori.kernels.records import Float64s, Words, numba_type, pointers
from randori.kernels.rules import MOVE_WORDS, RULES, WORDS, finish, legal, play, row
from randori.kernels.trees import (
    OVER,
    PRIORS,
    TREE,
    UNEXPANDED,
    VISITS,
    add_edges,
    back_up,
    best_edge,
    copy_state,
    grow,
    plant,
    set_priors,
    state_of,
)
from randori.kernels.weighted import finish_by_weights

UNIFORM, GREEDY, WEIGHTED = 0, 1, 2
"""How a playout moves: any legal action; that of the greatest weight, but any with chance epsilon; by the weights."""


class Guide(NamedTuple):
    """What guides the way down the tree. Inside kernels the arrays are bare pointers, here and in `Playouts`."""

    kind: int  # VISITS or PRIORS
    priors: Annotated[Float64s, "A"]  # in proportion
    explore: Annotated[Float64s, "simulations + 1"]  # the factor of the bonus, by the passes of the node


class Playouts(NamedTuple):
    style: int
    epsilon: float
    weights: Annotated[Float64s, "A"]
    finish: int  # the address of `weighted.finishing`, for WEIGHTED; 0: each legal action is looked at
    of_parts: Annotated[Words, "parts"]  # what it takes
    of_actions: Annotated[Words, "A"]


GUIDE, PLAYOUTS = numba_type(Guide), numba_type(Playouts)


@inner
def _greatest(moves, n, weights, stream):
    """The legal action of the greatest weight; equals are drawn by lot."""
    best, ties = np.int64(-1), 0
    for w in range(n):
        word = moves[w]
        while word != U0:
            action = 64 * w + lowest(word)
            word &= word - U1
            if ties == 0 or weights[action] > weights[best]:
                best, ties = action, 1
            elif weights[action] == weights[best]:
                ties += 1
                if random_below(stream, ties) == 0:
                    best = action
    return best


@inner
def _drawn(moves, n, weights, stream):
    """A legal action with a chance in proportion to its weight."""
    total = 0.0
    for w in range(n):
        word = moves[w]
        while word != U0:
            total += weights[64 * w + lowest(word)]
            word &= word - U1
    left = random_unit(stream) * total
    action = np.int64(-1)
    for w in range(n):
        word = moves[w]
        while word != U0 and left >= 0.0:
            action = 64 * w + lowest(word)
            word &= word - U1
            left -= weights[action]
    return action


@inner
def _finish_by_looking(rules, state, moves, playouts, stream):
    """Plays on in place by the weight of each legal action; returns the plies."""
    plies = 0
    count = legal(rules, state, moves)
    while count > 0:
        if playouts.style == WEIGHTED:
            action = _drawn(moves, rules[MOVE_WORDS], playouts.weights, stream)
        elif random_unit(stream) < playouts.epsilon:
            action = nth_set_bit(moves, random_below(stream, count))
        else:
            action = _greatest(moves, rules[MOVE_WORDS], playouts.weights, stream)
        play(rules, state, action)
        plies += 1
        count = legal(rules, state, moves)
    return plies


@inlined
def _play_out(rules, state, moves, playouts, stream):
    """Plays on in place to the end; returns the plies."""
    if playouts.style == UNIFORM:
        return finish(rules, state, stream)
    if playouts.finish != 0:
        return finish_by_weights(playouts.finish, state, stream, playouts.of_parts, playouts.of_actions)
    return _finish_by_looking(rules, state, moves, playouts, stream)


@inlined
def _expand(rules, tree, node, guide, moves):
    add_edges(rules, tree, 0, 0, node, moves, legal(rules, state_of(rules, tree, node), moves))
    if guide.kind == PRIORS:
        for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
            tree.prior[edge] = guide.priors[tree.action[edge]]
        set_priors(tree, node, 0.0)


@inlined
def _unvisited(tree, node, stream):
    """The edge to visit next for the first time: a random one of those left is moved to the front of them."""
    visited = np.int64(tree.passes[node])
    edge = tree.first[node] + visited
    other = edge + random_below(stream, tree.degree[node] - visited)
    tree.action[edge], tree.action[other] = tree.action[other], tree.action[edge]
    return edge


@inlined
def _simulate(rules, tree, guide, playouts, board, moves, stream):
    """Down the tree until an edge is new, one playout from there, and its result back up."""
    node = np.int64(0)
    while True:
        # A node gets its edges on its second visit: most have no second.
        if tree.degree[node] == UNEXPANDED:
            _expand(rules, tree, node, guide, moves)
        if tree.degree[node] == OVER:
            back_up(tree, node, tree.value[node], guide.kind)
            return
        passes = np.int64(tree.passes[node])
        if guide.kind == VISITS and passes < tree.degree[node]:
            edge = _unvisited(tree, node, stream)
        else:
            edge = best_edge(tree, node, guide.explore[passes])
        if tree.child[edge] >= 0:
            node = np.int64(tree.child[edge])
            continue
        node = grow(rules, tree, 0, 0, node, edge)
        copy_state(rules, state_of(rules, tree, node), board)
        plies = _play_out(rules, board, moves, playouts, stream)
        value = result_after(rules, board, plies)
        if plies == 0:
            tree.degree[node] = OVER
            tree.value[node] = value
        back_up(tree, node, value, guide.kind)
        return


@inner
def _harvest(tree, visits, values):
    """Writes what the root's edges hold, by action, and returns the best action: the most visited, then most valued.

    Of equals it is the first, and without priors the edges are in random order.
    """
    first = np.int64(tree.first[0])
    best = first
    for edge in range(first, first + tree.degree[0]):
        if tree.visits[edge] == 0:
            continue
        visits[tree.action[edge]] = tree.visits[edge]
        values[tree.action[edge]] = tree.mean[edge]
        ahead = tree.visits[edge] - tree.visits[best]
        if ahead > 0 or (ahead == 0 and tree.mean[edge] > tree.mean[best]):
            best = edge
    return tree.action[best]


@kernel(
    types.void(
        *(RULES, TREE, GUIDE, PLAYOUTS, types.Array(types.uint64, 2, "C"), types.Array(types.uint64, 1, "C")),
        *(types.int64, types.Array(types.int64, 1, "C"), types.int64),
        *(types.Array(types.int16, 1, "C"), types.Array(types.int32, 2, "C"), types.Array(types.float64, 2, "C")),
    )
)
def search(table, arrays, guides, rollouts, states, streams, simulations, done, budget, actions, visits, values):
    """Goes on for `budget` simulations, over as many states as they last for; every state gets `simulations`.

    `done` holds the number of finished states and that of simulations of the next one. With it, the one tree and the
    streams of random numbers a search can be cut into slices, between which it can be interrupted. Of each finished
    state the action chosen, the visits and the mean values for the side to move, `[B, A]`, are written.
    """
    rules, tree, guide, playouts = row(table, 0), pointers(arrays), pointers(guides), pointers(rollouts)
    board = np.zeros(rules[WORDS], np.uint64)
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    while budget > 0 and done[0] < states.shape[0]:
        i = done[0]
        if done[1] == 0:
            plant(rules, tree, 0, 0, row(states, i))
        n = min(budget, simulations - done[1])
        for _ in range(n):
            _simulate(rules, tree, guide, playouts, row(board, 0), row(moves, 0), row(streams, i))
        budget -= n
        done[1] += n
        if done[1] == simulations:
            actions[i] = _harvest(tree, row(visits, i), row(values, i))
            done[0] += 1
            done[1] = 0
