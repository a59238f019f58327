"""Planning with Gumbel noise (Danihelka et al. 2022): sequential halving at the root, improved policies below it.

The improved policy of a node is `softmax(logits + sigma(q))`, where `sigma(q) = (c_visit + most visits) * c_scale * q`
with q brought to 0 .. 1. An edge without a visit gets a mix of what the evaluator said of the node and of the values seen
(the paper's appendix D), so that none looks better or worse than the others merely because it was not tried.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.compile import inner, kernel
from randori.kernels.records import Float64s, Int32s, Int64s, numba_type, pointers
from randori.kernels.rules import ahead, row
from randori.kernels.trees import TREE, room

# A prior of zero has no logarithm.
_LEAST_PRIOR = 1e-30


class Roots(NamedTuple):
    """Which actions the roots still consider, in phases of sequential halving; all of size 0 for PUCT."""

    lure: Annotated[Float64s, "T, n_actions"]  # noise + log prior of the root's edges, in their order
    candidates: Annotated[Int32s, "T, considered"]  # edges, best first when last ranked
    left: Annotated[Int64s, "T"]  # candidates in this phase
    phases: Annotated[Int64s, "T"]  # planned in all
    budget: Annotated[Int64s, "T"]  # simulations of this phase
    done: Annotated[Int64s, "T"]  # of these
    n_actions: int
    considered: int  # at first


class Rule(NamedTuple):
    """How edges are chosen: by PUCT with `c`, or by Gumbel's rules with the other two."""

    gumbel: int
    c: float
    c_visit: float
    c_scale: float


ROOTS, RULE = numba_type(Roots), numba_type(Rule)


@inner
def _sharpness(tree, node, rule):
    """The factor of sigma for values in -1 .. 1, whose range is twice as wide."""
    most = np.int64(0)
    for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
        most = max(most, np.int64(tree.visits[edge] + tree.waiting[edge]))
    return 0.5 * (rule.c_visit + most) * rule.c_scale


@inner
def _mixed_value(tree, node):
    mass, weighted = 0.0, 0.0
    for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
        if tree.visits[edge] + tree.waiting[edge] > 0:
            prior = max(tree.prior[edge], _LEAST_PRIOR)
            mass += prior
            weighted += prior * tree.mean[edge]
    if mass == 0.0:
        return tree.value[node]
    return (tree.value[node] + tree.passes[node] * weighted / mass) / (1.0 + tree.passes[node])


@inner
def improve(tree, node, rule, policy):
    """Writes the improved policy over the edges of a node, in their order."""
    first, degree = np.int64(tree.first[node]), np.int64(tree.degree[node])
    sharpness, mixed = _sharpness(tree, node, rule), _mixed_value(tree, node)
    for i in range(degree):
        visited = tree.visits[first + i] + tree.waiting[first + i] > 0
        policy[i] = tree.mean[first + i] if visited else mixed
    best = policy[0]
    for i in range(1, degree):
        best = max(best, policy[i])
    total = 0.0
    for i in range(degree):
        policy[i] = max(tree.prior[first + i], _LEAST_PRIOR) * math.exp(sharpness * (policy[i] - best))
        total += policy[i]
    for i in range(degree):
        policy[i] /= total


@inner
def least_served(tree, node, rule, policy):
    """Below the root: the edge whose share of the visits is furthest behind its share of the improved policy."""
    improve(tree, node, rule, policy)
    first = np.int64(tree.first[node])
    best, best_score = first, -np.inf
    for i in range(tree.degree[node]):
        visits = tree.visits[first + i] + tree.waiting[first + i]
        score = policy[i] - visits / (1.0 + tree.passes[node])
        if score > best_score:
            best, best_score = first + i, score
    return best


@inner
def _contest(roots, t):
    """The lure of the edges of tree `t`, and its candidates."""
    return ahead(roots.lure, t * roots.n_actions), ahead(roots.candidates, t * roots.considered)


@inner
def _rank(tree, root, rule, roots, t):
    """Sorts the candidates left by noise + logit + sigma(q), the best first."""
    first, sharpness = np.int64(tree.first[root]), _sharpness(tree, root, rule)
    lure, candidates = _contest(roots, t)
    for i in range(1, roots.left[t]):
        edge = candidates[i]
        score = lure[edge - first] + sharpness * tree.mean[edge]
        place = i
        while place > 0:
            other = candidates[place - 1]
            if lure[other - first] + sharpness * tree.mean[other] >= score:
                break
            candidates[place] = other
            place -= 1
        candidates[place] = edge


@inner
def next_candidate(tree, root, rule, roots, t, simulations, under_way):
    """At the root: the edge whose turn it is; -1 where a halving must wait for simulations that are under way."""
    if roots.done[t] == roots.budget[t]:
        if under_way:
            return np.int64(-1)
        _rank(tree, root, rule, roots, t)
        if roots.left[t] > 2:
            roots.left[t] = max(2, roots.left[t] // 2)
        _begin_phase(roots, t, simulations)
    _, candidates = _contest(roots, t)
    return np.int64(candidates[roots.done[t] % roots.left[t]])


@inner
def _begin_phase(roots, t, simulations):
    """Every candidate gets as many simulations as spread the budget evenly over the phases, but at least one."""
    left = roots.left[t]
    roots.budget[t] = left * max(1, simulations // (max(1, roots.phases[t]) * left))
    roots.done[t] = 0


@kernel(types.void(TREE, ROOTS, types.int64, types.Array(types.float64, 2, "C")))
def consider(arrays, contests, simulations, noise):
    """Chooses each root's candidates by `noise` `[T, A]` and the priors, which is drawing from the policy without
    replacement where the noise is Gumbel's.
    """
    tree, roots = pointers(arrays), pointers(contests)
    n_nodes, _ = room(arrays)
    for t in range(arrays.used.shape[0]):
        first, degree = np.int64(tree.first[t * n_nodes]), np.int64(tree.degree[t * n_nodes])
        lure, candidates = _contest(roots, t)
        for i in range(degree):
            lure[i] = noise[t, tree.action[first + i]] + math.log(max(tree.prior[first + i], _LEAST_PRIOR))
        n = min(degree, roots.considered)
        for i in range(degree):
            place = min(i, n)
            while place > 0 and lure[candidates[place - 1] - first] < lure[i]:
                if place < n:
                    candidates[place] = candidates[place - 1]
                place -= 1
            if place < n:
                candidates[place] = first + i
        roots.phases[t] = 0
        while (1 << roots.phases[t]) < n:
            roots.phases[t] += 1
        roots.left[t] = n
        _begin_phase(roots, t, simulations)


@kernel(types.void(TREE, ROOTS, RULE, types.Array(types.int16, 1, "C"), types.Array(types.float64, 2, "C")))
def conclude(arrays, contests, rule, actions, policy):
    """Writes the best candidate left of each root, `[T]`, and the improved policy by action, `[T, A]`."""
    tree, roots = pointers(arrays), pointers(contests)
    n_nodes, _ = room(arrays)
    improved = np.empty(policy.shape[1])
    for t in range(arrays.used.shape[0]):
        root = t * n_nodes
        _rank(tree, root, rule, roots, t)
        _, candidates = _contest(roots, t)
        actions[t] = tree.action[candidates[0]]
        improve(tree, root, rule, row(improved, 0))
        for i in range(tree.degree[root]):
            policy[t, tree.action[tree.first[root] + i]] = improved[i]
