"""Forests: many trees searched in step, so that one call of an evaluator serves them all.

`plant_all` and `select` leave nodes waiting and list the distinct positions to evaluate; `expand` takes the evaluation
and lets the waiting simulations return. A tree may have several simulations under way: each counts as a loss on its
path until it returns, so that the next one looks elsewhere (virtual loss). A position that this search has had
evaluated, in whichever tree, is not asked for again.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import hash_words
from randori.kernels.compile import inner, kernel
from randori.kernels.gumbel import ROOTS, RULE, least_served, next_candidate
from randori.kernels.records import Int32s, Int64s, Words, allocate, numba_type, pointers
from randori.kernels.rules import ACTIONS, MOVE_WORDS, RULES, WORDS, legal, row
from randori.kernels.trees import (
    AWAITED,
    OVER,
    PRIORS,
    TREE,
    add_edges,
    back_up,
    best_edge,
    close,
    copy_state,
    grow,
    plant,
    room,
    set_priors,
    state_of,
    weigh,
)


class Queue(NamedTuple):
    """What waits for the evaluator: `sizes[0]` nodes, for the evaluation of `sizes[1]` distinct positions."""

    sizes: Annotated[Int64s, "2"]
    nodes: Annotated[Int32s, "T * leaves"]
    states: Annotated[Words, "T * leaves, W"]
    place: Annotated[Int32s, "T * N"]  # where in `states` the position of an awaited node is
    known: Annotated[Int32s, "slots"]  # nodes by the hash of their position; -1 where free. A power of two


QUEUE = numba_type(Queue)
_STATES, _TABLE = types.Array(types.uint64, 2, "C"), types.Array(types.float64, 2, "C")
_COUNTS, _FLOATS = types.Array(types.int64, 1, "C"), types.Array(types.float64, 1, "C")


def empty_queue(n_trees: int, n_nodes: int, leaves: int, words: int) -> Queue:
    # At most half of the slots fill, so that probes stay short.
    slots = 1 << (2 * n_trees * n_nodes).bit_length()
    queue = allocate(Queue, np.empty, T=n_trees, N=n_nodes, W=words, leaves=leaves, slots=slots)
    queue.sizes[:] = 0
    queue.known[:] = -1
    return queue


@inner
def _twin(rules, tree, queue, node):
    """An earlier node with the same position; where there is none, the node itself, which is known from now on."""
    state = state_of(rules, tree, node)
    last = queue.known.size - 1
    slot = np.int64(hash_words(state, rules[WORDS]) & np.uint64(last))
    while queue.known[slot] >= 0:
        other = state_of(rules, tree, np.int64(queue.known[slot]))
        w = 0
        while w < rules[WORDS] and state[w] == other[w]:
            w += 1
        if w == rules[WORDS]:
            return np.int64(queue.known[slot])
        slot = (slot + 1) & last
    queue.known[slot] = node
    return node


@inner
def _await(rules, tree, queue, node, twin):
    """Puts a node into the queue, and its position too unless a twin's is there already."""
    if twin == node:
        queue.place[node] = queue.sizes[1]
        copy_state(rules, state_of(rules, tree, node), row(queue.states, queue.sizes[1]))
        queue.sizes[1] += 1
    else:
        queue.place[node] = queue.place[twin]
    tree.degree[node] = AWAITED
    queue.nodes[queue.sizes[0]] = node
    queue.sizes[0] += 1


@inner
def _descend(rules, tree, t, n_nodes, edge, rule, policy):
    """From the root through `edge` to the node where a simulation ends: new, the end of a game, or awaited already."""
    node = t * n_nodes
    while True:
        tree.passes[node] += 1
        tree.waiting[edge] += 1
        weigh(tree, edge, PRIORS)
        if tree.child[edge] < 0:
            return grow(rules, tree, t, n_nodes, node, edge)
        node = np.int64(tree.child[edge])
        if tree.degree[node] <= 0:
            return node
        if rule.gumbel:
            edge = least_served(tree, node, rule, policy)
        else:
            edge = best_edge(tree, node, rule.c * math.sqrt(1.0 + tree.passes[node]))


@inner
def _retreat(tree, node):
    """Takes back the loss that a simulation counted for while it was under way."""
    edge = np.int64(tree.via[node])
    while edge >= 0:
        node = np.int64(tree.parent[node])
        tree.passes[node] -= 1
        tree.waiting[edge] -= 1
        if tree.visits[edge] + tree.waiting[edge] > 0:
            weigh(tree, edge, PRIORS)
        edge = np.int64(tree.via[node])


@inner
def _arrive(tree, node, value):
    _retreat(tree, node)
    back_up(tree, node, value, PRIORS)


@inner
def _meet(rules, tree, queue, t, n_edges, node, moves):
    """Deals with a new node: 1 if it waits for the evaluator, 0 if its value was known at once."""
    count = legal(rules, state_of(rules, tree, node), moves)
    if count == 0:
        close(rules, tree, node)
    else:
        twin = _twin(rules, tree, queue, node)
        if twin == node or tree.degree[twin] == AWAITED:
            _await(rules, tree, queue, node, twin)
            return 1
        add_edges(rules, tree, t, n_edges, node, moves, count)
        for i in range(count):
            tree.prior[tree.first[node] + i] = tree.prior[tree.first[twin] + i]
        tree.value[node] = tree.value[twin]
        set_priors(tree, node, tree.value[node])
    _arrive(tree, node, tree.value[node])
    return 0


@kernel(types.void(RULES, TREE, QUEUE, _STATES))
def plant_all(rules, arrays, queue, states):
    """Makes each state the root of a tree and puts it into the queue."""
    tree = pointers(arrays)
    n_nodes, _ = room(arrays)
    for t in range(states.shape[0]):
        root = plant(rules, tree, t, n_nodes, row(states, t))
        _await(rules, tree, queue, root, _twin(rules, tree, queue, root))


@kernel(types.void(RULES, TREE, QUEUE, ROOTS, RULE, _COUNTS, types.int64, types.int64))
def select(rules, arrays, queue, contests, rule, simulated, simulations, leaves):
    """Starts simulations in every tree until `leaves` of them wait for the evaluator or all have been started.

    Those that end where the value is known return at once. A tree stops short when it comes upon a node that
    is awaited already: a second visit would learn nothing new.
    """
    tree, roots = pointers(arrays), pointers(contests)
    n_nodes, n_edges = room(arrays)
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    policy = np.zeros(rules[ACTIONS])
    for t in range(arrays.used.shape[0]):
        under_way = 0
        while under_way < leaves and simulated[t] < simulations:
            root = t * n_nodes
            if rule.gumbel:
                edge = next_candidate(tree, root, rule, roots, t, simulations, under_way)
                if edge < 0:
                    break
            else:
                edge = best_edge(tree, root, rule.c * math.sqrt(1.0 + tree.passes[root]))
            node = _descend(rules, tree, t, n_nodes, edge, rule, row(policy, 0))
            if tree.degree[node] == AWAITED:
                _retreat(tree, node)
                break
            if tree.degree[node] == OVER:
                _arrive(tree, node, tree.value[node])
            else:
                under_way += _meet(rules, tree, queue, t, n_edges, node, row(moves, 0))
            simulated[t] += 1
            if rule.gumbel:
                roots.done[t] += 1


@kernel(types.void(RULES, TREE, QUEUE, _FLOATS, _TABLE))
def expand(rules, arrays, queue, values, policy):
    """Gives the awaited nodes their edges and lets their simulations return, in the order in which they started.

    `values` and `policy` belong to the queue's positions; a policy without rows stands for equal priors.
    """
    tree = pointers(arrays)
    n_nodes, n_edges = room(arrays)
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    for k in range(queue.sizes[0]):
        node = np.int64(queue.nodes[k])
        place = np.int64(queue.place[node])
        count = legal(rules, state_of(rules, tree, node), row(moves, 0))
        add_edges(rules, tree, node // n_nodes, n_edges, node, row(moves, 0), count)
        for edge in range(tree.first[node], tree.first[node] + count):
            tree.prior[edge] = policy[place, tree.action[edge]] if policy.shape[0] > 0 else 1.0
        tree.value[node] = values[place]
        # Before its first visit an edge is worth what its node is.
        set_priors(tree, node, values[place])
        _arrive(tree, node, values[place])
    queue.sizes[0] = 0
    queue.sizes[1] = 0


@kernel(types.void(TREE, QUEUE, types.float64, _TABLE))
def add_noise(arrays, queue, share, noise):
    """Mixes noise by action, `[T, A]`, into the roots' priors, which are no evaluation for others any more."""
    tree = pointers(arrays)
    n_nodes, _ = room(arrays)
    queue.known[:] = -1
    for t in range(arrays.used.shape[0]):
        root = t * n_nodes
        for edge in range(tree.first[root], tree.first[root] + tree.degree[root]):
            tree.prior[edge] = (1.0 - share) * tree.prior[edge] + share * noise[t, tree.action[edge]]
            tree.bonus[edge] = tree.prior[edge]


@kernel(types.void(TREE, types.Array(types.int32, 2, "C"), _TABLE))
def harvest(arrays, visits, values):
    """Writes the visits and mean values of the roots' edges by action, `[T, A]`."""
    tree = pointers(arrays)
    n_nodes, _ = room(arrays)
    for t in range(arrays.used.shape[0]):
        root = t * n_nodes
        for edge in range(tree.first[root], tree.first[root] + tree.degree[root]):
            visits[t, tree.action[edge]] = tree.visits[edge]
            if tree.visits[edge] > 0:
                values[t, tree.action[edge]] = tree.mean[edge]
