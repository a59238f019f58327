"""The tree search of Humphreys et al.: an edge is a pair of a move and the reply to it.

So in every node the side that searches is to move, all rewards are its own, and no sign ever turns: replies are
explored by the same rule as moves, as if the opponent wished well. What the paper leaves open is settled as the
docstring of `randori.methods.deep_q.pair_search` says.
"""

import math

import numpy as np
from numba import types

from randori.kernels.bits import nth_set_bit, random_below
from randori.kernels.compile import inner, kernel
from randori.kernels.playouts import result_after
from randori.kernels.records import pointers
from randori.kernels.rules import MOVE_WORDS, RULES, WORDS, finish, legal, margin, play, row
from randori.kernels.trees import (
    OVER,
    TREE,
    UNEXPANDED,
    VISITS,
    add_node,
    best_edge,
    copy_state,
    plant,
    state_of,
    weigh,
)

SIMULATIONS, VISITS_OF_PARENT, WINS = 0, 1, 2
"""What t is: the number of the simulation, the visits of the node that is left, or the rewards of all nodes together."""


@inner
def _reward(result):
    return 0.5 if result == 0.0 else result


@inner
def _add_pair(tree, node, action):
    """An edge for `action` and the node behind it, whose state is to be written."""
    edge = tree.used[1]
    tree.used[1] += 1
    tree.degree[node] += 1
    tree.action[edge] = action
    tree.visits[edge] = 0
    tree.total[edge] = 0.0
    tree.child[edge] = add_node(tree, 0, 0, node, edge)
    return np.int64(tree.child[edge])


@inner
def _expand(rules, tree, node, moves, replies, board):
    """Gives a node an edge for every move and legal reply, or for the move alone where it ends the game."""
    state = state_of(rules, tree, node)
    tree.first[node] = tree.used[1]
    tree.degree[node] = 0
    for i in range(legal(rules, state, moves)):
        action = nth_set_bit(moves, i)
        copy_state(rules, state, board)
        play(rules, board, action)
        count = legal(rules, board, replies)
        if count == 0:
            child = _add_pair(tree, node, action)
            copy_state(rules, board, state_of(rules, tree, child))
            tree.degree[child] = OVER
            tree.value[child] = _reward(-np.sign(np.float64(margin(rules, board))))
        for k in range(count):
            child = _add_pair(tree, node, action)
            after = state_of(rules, tree, child)
            copy_state(rules, board, after)
            play(rules, after, nth_set_bit(replies, k))


@inner
def _pick(tree, node, reading, t, stream):
    """An edge without a visit, drawn by lot; where there is none, the best by w / n + 2 sqrt(ln t / n)."""
    picked, unvisited = np.int64(-1), 0
    for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
        if tree.visits[edge] == 0:
            unvisited += 1
            if random_below(stream, unvisited) == 0:
                picked = edge
    if picked >= 0:
        return picked
    if reading == VISITS_OF_PARENT:
        t = tree.visits[tree.via[node]] if tree.via[node] >= 0 else t - 1.0
    return best_edge(tree, node, 2.0 * math.sqrt(math.log(t)))


@inner
def _play_on(rules, tree, node, board, stream):
    """The reward of a random game from a node, or of the game that is over there."""
    if tree.degree[node] == OVER:
        return tree.value[node]
    copy_state(rules, state_of(rules, tree, node), board)
    plies = finish(rules, board, stream)
    reward = _reward(result_after(rules, board, plies))
    if plies == 0:
        tree.degree[node] = OVER
        tree.value[node] = reward
    return reward


@inner
def _traverse(rules, tree, reading, t, moves, replies, board, stream):
    """One simulation; returns what it adds to the rewards of all nodes together."""
    node = np.int64(0)
    while tree.degree[node] > 0:
        node = np.int64(tree.child[_pick(tree, node, reading, t, stream)])
    seen = tree.via[node] < 0 or tree.visits[tree.via[node]] > 0
    if seen and tree.degree[node] == UNEXPANDED:
        _expand(rules, tree, node, moves, replies, board)
        node = np.int64(tree.child[_pick(tree, node, reading, t, stream)])
    reward = _play_on(rules, tree, node, board, stream)
    edge, added = np.int64(tree.via[node]), reward  # the root has no edge of its own
    while edge >= 0:
        added += reward
        tree.visits[edge] += 1
        tree.total[edge] += reward
        weigh(tree, edge, VISITS)
        edge = np.int64(tree.via[tree.parent[node]])
        node = np.int64(tree.parent[node])
    return added


@kernel(
    types.int64(
        *(RULES, TREE, types.Array(types.uint64, 1, "C"), types.Array(types.uint64, 1, "C")),
        *(types.int64, types.int64, types.Array(types.int32, 1, "C")),
    )
)
def search_pairs(rules, arrays, state, stream, simulations, reading, visits):
    """Searches a position, adds up the visits of each action, `[A]`, and returns the move of the pair that won most."""
    tree = pointers(arrays)
    board = np.zeros(rules[WORDS], np.uint64)
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    replies = np.zeros(rules[MOVE_WORDS], np.uint64)
    plant(rules, tree, 0, 0, row(state, 0))
    wins = 0.0
    for number in range(1, simulations + 1):
        t = max(1.0, wins) if reading == WINS else np.float64(number)
        wins += _traverse(rules, tree, reading, t, row(moves, 0), row(replies, 0), row(board, 0), row(stream, 0))
    best, ties = np.int64(-1), 0
    for edge in range(tree.degree[0]):
        visits[tree.action[edge]] += tree.visits[edge]
        if tree.visits[edge] == 0:
            continue
        if best < 0 or tree.mean[edge] > tree.mean[best]:
            best, ties = edge, 1
        elif tree.mean[edge] == tree.mean[best]:
            ties += 1
            if random_below(row(stream, 0), ties) == 0:
                best = edge
    return np.int64(tree.action[best])
