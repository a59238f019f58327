"""Search trees in arrays: the layout that every search shares, and what all of them do to it.

A *node* is a position that a simulation has reached; an *edge* is a legal action there. The edges of a node lie side by
side, so that choosing among them is one pass over contiguous memory. T trees have room for N nodes and E edges each:
tree `t` owns the nodes from `t * N` and the edges from `t * E`, and its root is its first node.

Values are in -1 .. 1 for the side to move. **A parent sees minus its child's value:** `total` and `mean` of an edge are
for the side that chooses it, and `back_up` is the one place where the sign turns.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from randori.kernels.bits import U0, U1, lowest
from randori.kernels.compile import inner
from randori.kernels.rules import MOVE_WORDS, WORDS, ahead, margin, play, row

UNEXPANDED, AWAITED, OVER = -1, -2, 0
"""Degrees of nodes without edges: not expanded yet, the same with the evaluator asked, the end of a game."""

VISITS, PRIORS = 0, 1
"""What guides the choice of edges: UCT's bonus is 1 / sqrt(n) after n visits, PUCT's is prior / (1 + n)."""


class Tree(NamedTuple):
    """One tree or more. A search chooses the edge with the greatest `mean + k * bonus`, where `k` depends on the node.

    What no simulation has written yet is undefined. Inside kernels the fields are bare pointers, see `pointers`.
    """

    used: NDArray[np.int64]  # [T, 2]  how many nodes and edges
    states: NDArray[np.uint64]  # [T * N, words]
    parent: NDArray[np.int32]  # [T * N]  a node; -1 at the root
    via: NDArray[np.int32]  # [T * N]  the edge that leads here; -1 at the root
    first: NDArray[np.int32]  # [T * N]  the first of its edges
    degree: NDArray[np.int32]  # [T * N]  how many edges, or UNEXPANDED, AWAITED, OVER
    passes: NDArray[np.int32]  # [T * N]  simulations that went on to a child
    value: NDArray[np.float64]  # [T * N]  the result where the game is over; else what an evaluator said, if any
    action: NDArray[np.int16]  # [T * E]
    child: NDArray[np.int32]  # [T * E]  a node; -1 before the first visit
    visits: NDArray[np.int32]  # [T * E]
    total: NDArray[np.float64]  # [T * E]  the sum of the values seen
    mean: NDArray[np.float64]  # [T * E]  total / visits
    bonus: NDArray[np.float64]  # [T * E]
    prior: NDArray[np.float64]  # [T * E]  where priors guide the search
    waiting: NDArray[np.int32]  # [T * E]  visits under way, which count as lost until they return


def _vector(kind: Any) -> types.Array:
    return types.Array(kind, 1, "C")


TREE = types.NamedTuple(
    (
        *(types.Array(types.int64, 2, "C"), types.Array(types.uint64, 2, "C")),
        *(*[_vector(types.int32)] * 5, _vector(types.float64)),
        *(_vector(types.int16), *[_vector(types.int32)] * 2, *[_vector(types.float64)] * 4, _vector(types.int32)),
    ),
    Tree,
)


def empty(n_trees: int, n_nodes: int, n_edges: int, words: int) -> Tree:
    """Room for trees. It is not cleared: what a search does not touch costs no memory."""
    nodes, edges = n_trees * n_nodes, n_trees * n_edges
    return Tree(
        used=np.zeros((n_trees, 2), np.int64),
        states=np.empty((nodes, words), np.uint64),
        parent=np.empty(nodes, np.int32),
        via=np.empty(nodes, np.int32),
        first=np.empty(nodes, np.int32),
        degree=np.empty(nodes, np.int32),
        passes=np.empty(nodes, np.int32),
        value=np.empty(nodes, np.float64),
        action=np.empty(edges, np.int16),
        child=np.empty(edges, np.int32),
        visits=np.empty(edges, np.int32),
        total=np.empty(edges, np.float64),
        mean=np.empty(edges, np.float64),
        bonus=np.empty(edges, np.float64),
        prior=np.empty(edges, np.float64),
        waiting=np.empty(edges, np.int32),
    )


def n_bytes(n_nodes: int, n_edges: int, words: int) -> int:
    """What one tree takes at most."""
    nothing, node, edge = (sum(array.nbytes for array in empty(1, *it, words)) for it in ((0, 0), (1, 0), (0, 1)))
    return nothing + n_nodes * (node - nothing) + n_edges * (edge - nothing)


@inner
def pointers(tree):
    """The same record of bare pointers. Arrays are counted references, and counting them at every call of an inner
    function took longer than the search itself.
    """
    return Tree(
        row(tree.used, 0),
        row(tree.states, 0),
        row(tree.parent, 0),
        row(tree.via, 0),
        row(tree.first, 0),
        row(tree.degree, 0),
        row(tree.passes, 0),
        row(tree.value, 0),
        row(tree.action, 0),
        row(tree.child, 0),
        row(tree.visits, 0),
        row(tree.total, 0),
        row(tree.mean, 0),
        row(tree.bonus, 0),
        row(tree.prior, 0),
        row(tree.waiting, 0),
    )


@inner
def room(tree):
    """The nodes and the edges that each tree has room for."""
    n_trees = max(1, tree.used.shape[0])
    return tree.parent.size // n_trees, tree.action.size // n_trees


@inner
def state_of(rules, tree, node):
    return ahead(tree.states, node * rules[WORDS])


@inner
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


@inner
def grow(rules, tree, t, n_nodes, node, edge):
    """The node that an edge leads to, made by playing its action."""
    child = add_node(tree, t, n_nodes, node, edge)
    tree.child[edge] = child
    copy_state(rules, state_of(rules, tree, node), state_of(rules, tree, child))
    play(rules, state_of(rules, tree, child), np.int64(tree.action[edge]))
    return child


@inner
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


@inner
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


@inner
def best_edge(tree, node, k):
    """The edge of a node with the greatest `mean + k * bonus`, the first of equals."""
    first = np.int64(tree.first[node])
    best, best_score = first, tree.mean[first] + k * tree.bonus[first]
    for edge in range(first + 1, first + tree.degree[node]):
        score = tree.mean[edge] + k * tree.bonus[edge]
        if score > best_score:
            best, best_score = edge, score
    return best


@inner
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


@inner
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
