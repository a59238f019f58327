"""Search trees in arrays: the layout that every search shares, and what all of them do to it.

A *node* is a position that a simulation has reached; an *edge* is a legal action there. The edges of a node lie side by
side, so that choosing among them is one pass over contiguous memory. T trees have room for N nodes and E edges each:
tree `t` owns the nodes from `t * N` and the edges from `t * E`, and its root is its first node.

Values are in -1 .. 1 for the side to move. **A parent sees minus its child's value:** `total` and `mean` of an edge are
for the side that chooses it, and `back_up` is the one place where the sign turns.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, NamedTuple

import numpy as np

from randori.kernels.bits import U0, U1, lowest
from randori.kernels.compile import inlined, inner
from randori.kernels.records import Float64s, Int16s, Int32s, Int64s, Words, allocate, numba_type
from randori.kernels.rules import MOVE_WORDS, WORDS, ahead, margin, play

UNEXPANDED, AWAITED, OVER = -1, -2, 0
"""Degrees of nodes without edges: not expanded yet, the same with the evaluator asked, the end of a game."""

VISITS, PRIORS = 0, 1
"""What guides the choice of edges: UCT's bonus is 1 / sqrt(n) after n visits, PUCT's is prior / (1 + n)."""


class Tree(NamedTuple):
    """One tree or more. A search chooses the edge with the greatest `mean + k * bonus`, where `k` depends on the node.

    What no simulation has written yet is undefined. Inside kernels the fields are bare pointers.
    """

    used: Annotated[Int64s, "T, 2"]  # how many nodes and edges
    states: Annotated[Words, "T * N, W"]
    parent: Annotated[Int32s, "T * N"]  # a node; -1 at the root
    via: Annotated[Int32s, "T * N"]  # the edge that leads here; -1 at the root
    first: Annotated[Int32s, "T * N"]  # the first of its edges
    degree: Annotated[Int32s, "T * N"]  # how many edges, or UNEXPANDED, AWAITED, OVER
    passes: Annotated[Int32s, "T * N"]  # simulations that went on to a child
    value: Annotated[Float64s, "T * N"]  # the result where the game is over; else what an evaluator said, if any
    action: Annotated[Int16s, "T * E"]
    child: Annotated[Int32s, "T * E"]  # a node; -1 before the first visit
    visits: Annotated[Int32s, "T * E"]
    total: Annotated[Float64s, "T * E"]  # the sum of the values seen
    mean: Annotated[Float64s, "T * E"]  # total / visits
    bonus: Annotated[Float64s, "T * E"]
    prior: Annotated[Float64s, "T * E"]  # where priors guide the search
    waiting: Annotated[Int32s, "T * E"]  # visits under way, which count as lost until they return


TREE = numba_type(Tree)


def empty(n_trees: int, n_nodes: int, n_edges: int, words: int) -> Tree:
    """Room for trees. It is not cleared: what a search does not touch costs no memory."""
    tree = allocate(Tree, np.empty, T=n_trees, N=n_nodes, E=n_edges, W=words)
    tree.used[:] = 0
    return tree


_KEPT_BYTES = 16 * 1024**2
_kept = threading.local()


@contextmanager
def lent(n_nodes: int, n_edges: int, words: int) -> Iterator[Tree]:
    """Room for one tree, that of the last search of this thread where it is large enough. New memory costs a short search
    more than its simulations; as nothing is read that was not written before, it does not matter what is left in old.
    """
    tree = _kept.__dict__.pop("tree", None)  # so that a search within this one gets another
    if tree is None or len(tree.parent) < n_nodes or len(tree.action) < n_edges or tree.states.shape[1] != words:
        tree = empty(1, n_nodes, n_edges, words)
    try:
        yield tree
    finally:
        # Of all arrays those of edges are the largest, and this is the largest of them.
        if tree.total.nbytes <= _KEPT_BYTES:
            _kept.tree = tree


def n_bytes(n_nodes: int, n_edges: int, words: int) -> int:
    """What one tree takes at most."""
    nothing, node, edge = (sum(array.nbytes for array in empty(1, *it, words)) for it in ((0, 0), (1, 0), (0, 1)))
    return nothing + n_nodes * (node - nothing) + n_edges * (edge - nothing)


@inner
def room(tree):
    """The nodes and the edges that each tree has room for."""
    n_trees = max(1, tree.used.shape[0])
    return tree.parent.size // n_trees, tree.action.size // n_trees


@inlined
def state_of(rules, tree, node):
    return ahead(tree.states, node * rules[WORDS])


@inlined
def copy_state(rules, source, target):
    for w in range(rules[WORDS]):
        target[w] = source[w]


@inner
def plant(rules, tree, t, n_nodes, state):
    """Clears tree `t` and gives it a root."""
    tree.used[2 * t] = 0
    tree.used[2 * t + 1] = 0
    root = add_node(tree, t, n_nodes, -1, -1)
    copy_state(rules, state, state_of(rules, tree, root))
    return root


@inlined
def grow(rules, tree, t, n_nodes, node, edge):
    """The node that an edge leads to, made by playing its action."""
    child = add_node(tree, t, n_nodes, node, edge)
    tree.child[edge] = child
    copy_state(rules, state_of(rules, tree, node), state_of(rules, tree, child))
    play(rules, state_of(rules, tree, child), np.int64(tree.action[edge]))
    return child


@inlined
def add_node(tree, t, n_nodes, parent, via):
    node = t * n_nodes + tree.used[2 * t]
    tree.used[2 * t] += 1
    tree.parent[node] = parent
    tree.via[node] = via
    tree.degree[node] = UNEXPANDED
    tree.passes[node] = 0
    return node


@inner
def close(rules, tree, node):
    """Marks a node where the game is over: the rules know its value."""
    tree.degree[node] = OVER
    # Once a game is over the sign of the margin is the outcome, and cheaper.
    tree.value[node] = np.sign(np.float64(margin(rules, state_of(rules, tree, node))))


@inlined
def add_edges(rules, tree, t, n_edges, node, moves, count):
    """Gives a node its `count` edges, in the order of the actions, without any visit."""
    first = t * n_edges + tree.used[2 * t + 1]
    tree.used[2 * t + 1] += count
    tree.first[node] = first
    tree.degree[node] = count
    edge = first
    for w in range(rules[MOVE_WORDS]):
        word = moves[w]
        while word != U0:
            tree.action[edge] = 64 * w + lowest(word)
            tree.child[edge] = -1
            tree.visits[edge] = 0
            tree.waiting[edge] = 0
            tree.total[edge] = 0.0
            word &= word - U1
            edge += 1


@inner
def set_priors(tree, node, value):
    """Scales the priors of a node to 1 in all and makes its edges ready for choice: before its first visit an edge is
    worth `value`. Without any weight the priors become equal.
    """
    first, degree = np.int64(tree.first[node]), np.int64(tree.degree[node])
    total = 0.0
    for edge in range(first, first + degree):
        total += tree.prior[edge]
    for edge in range(first, first + degree):
        tree.prior[edge] = tree.prior[edge] / total if total > 0.0 else 1.0 / degree
        tree.bonus[edge] = tree.prior[edge]
        tree.mean[edge] = value


@inlined
def best_edge(tree, node, k):
    """The edge of a node with the greatest `mean + k * bonus`, the first of equals."""
    first = np.int64(tree.first[node])
    best, best_score = first, tree.mean[first] + k * tree.bonus[first]
    for edge in range(first + 1, first + tree.degree[node]):
        score = tree.mean[edge] + k * tree.bonus[edge]
        if score > best_score:
            best, best_score = edge, score
    return best


@inlined
def weigh(tree, edge, guide):
    """Brings `mean` and `bonus` of an edge up to date; it must have been visited."""
    if guide == VISITS:
        visits = np.float64(tree.visits[edge])
        tree.mean[edge] = tree.total[edge] / visits
        tree.bonus[edge] = 1.0 / np.sqrt(visits)
    else:
        visits = np.float64(tree.visits[edge] + tree.waiting[edge])
        tree.mean[edge] = (tree.total[edge] - tree.waiting[edge]) / visits
        tree.bonus[edge] = tree.prior[edge] / (1.0 + visits)


@inlined
def back_up(tree, node, value, guide):
    """Adds a visit to every edge on the way to `node`, where the position is worth `value` to the side to move."""
    edge = np.int64(tree.via[node])
    while edge >= 0:
        value = -value
        node = np.int64(tree.parent[node])
        tree.passes[node] += 1
        tree.visits[edge] += 1
        tree.total[edge] += value
        weigh(tree, edge, guide)
        edge = np.int64(tree.via[node])
