"""Random games in which some actions are likelier than others, by weights that look at no position.

Actions of equal weight are a *class*. So a draw counts the legal members of each class instead of visiting them, and then takes
any of one class. The bits of a class in one word of moves are a *part* of it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from randori.kernels.bits import (
    U0,
    high_product,
    lowest,
    next_word,
    nth_bit,
    nth_set_bit,
    on_stack,
    popcount,
    random_below,
)
from randori.kernels.compile import callback, inlined
from randori.kernels.records import Float64s, Int64s, Words
from randori.kernels.rules import WORDS_POINTER, Rules, call_at

# Above so many legal actions, a draw makes a few trials before it counts classes.
_MANY = 32
_TRIALS = 8
_SIGNATURE = types.int64(WORDS_POINTER, WORDS_POINTER, WORDS_POINTER, WORDS_POINTER)

# The weight of the heaviest action as a whole number: so many of them are added up without overflow.
_WHOLE, _MOST_ACTIONS = 2.0**54, 1000
# What weighs less, beside the heaviest, is known too roughly as a whole number.
_LIGHTEST = 2.0**-30
# With more classes it is quicker to look at each action.
_MOST_PARTS = 64


class Classes(NamedTuple):
    """Of a game's actions, by what is preferred equally."""

    words: Int64s  # [parts]
    masks: Words  # [parts]
    members: Int64s  # [parts], one action of each


def classes_of(preferences: Float64s) -> Classes:
    number = np.arange(len(preferences))
    kinds = np.stack([number >> 6, preferences])
    (words, _), members, parts = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
    masks = np.zeros(len(words), np.uint64)
    np.bitwise_or.at(masks, parts.reshape(-1), np.uint64(1) << (number & 63).astype(np.uint64))
    return Classes(words.astype(np.int64), masks, members)


def suits(weights: NDArray[np.float64], classes: Classes) -> bool:
    """Whether draws by class are right and quick."""
    few = len(weights) <= _MOST_ACTIONS and len(classes.masks) <= _MOST_PARTS
    return few and bool(weights.min() >= _LIGHTEST)


def whole(weights: NDArray[np.float64]) -> Words:
    """Weights, 1 at most, as the whole numbers that draws take."""
    return np.round(weights * _WHOLE).astype(np.uint64)


def _finish_by(legal: Any, play: Any, move_words: int, words: Int64s, masks: Words) -> Callable[..., int]:
    # Closed over, the classes are constants of the code.
    n_parts = len(masks)

    @inlined
    def by_class(moves, weights, stream):
        """Without a branch for a class: which of them have members is as good as random."""
        total = U0
        for part in range(n_parts):
            total += np.uint64(popcount(moves[words[part]] & masks[part])) * weights[part]
        at = high_product(next_word(stream), total)
        chosen, total = 0, U0
        for part in range(n_parts):
            total += np.uint64(popcount(moves[words[part]] & masks[part])) * weights[part]
            chosen += total <= at
        members = moves[words[chosen]] & masks[chosen]
        return 64 * words[chosen] + lowest(nth_bit(members, random_below(stream, popcount(members))))

    def finish(state, stream, weights, of_actions):
        moves = on_stack(np.uint64, move_words)
        plies = 0
        count = legal(state, moves)
        while count > 0:
            action = -1
            if count > _MANY:
                # Rejection gives the same chances, and is quicker where many actions weigh about as much as the best.
                for _ in range(_TRIALS):
                    tried = nth_set_bit(moves, random_below(stream, count))
                    if next_word(stream) >> np.uint64(10) < of_actions[tried]:
                        action = tried
                        break
            if action < 0:
                action = by_class(moves, weights, stream)
            play(state, action)
            plies += 1
            count = legal(state, moves)
        return plies

    return finish


def finishing(rules: Rules, n_actions: int, classes: Classes) -> int:
    """The address of a function that plays positions of a game out by weights of these classes."""
    legal, play = inlined(rules.legal), inlined(rules.play)
    made = _finish_by(legal, play, (n_actions + 63) // 64, classes.words, classes.masks)
    return int(callback(_SIGNATURE, made, rules.legal, rules.play).address)


@intrinsic
def finish_by_weights(_context: Any, _address: Any, _state: Any, _stream: Any, _weights: Any, _of_actions: Any) -> Any:
    """Plays a position out in place by the function at an address; returns the plies."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return call_at(context, builder, _SIGNATURE, args[0], args[1:])

    return types.int64(types.int64, *_SIGNATURE.args), generate
