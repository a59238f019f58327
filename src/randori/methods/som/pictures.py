"""Pictures of the maps of a player: one map at a time, and the way of a game over all of them."""

from functools import lru_cache

import numpy as np

from randori.core.game import ONGOING, Actions, Game, States
from randori.core.player import Player
from randori.core.positions import positions_of_random_games
from randori.core.replay import positions
from randori.errors import UserError
from randori.methods.pictures import Pictures
from randori.methods.som.atlas import boards_of, n_moves
from randori.methods.som.drawing import MapView, Step, draw_map, draw_path
from randori.methods.som.player import SelfOrganized

GAMES_SEEN = 500


class MapPictures:
    """What the page shows of a player."""

    title = "Maps"
    summary = "Each neuron of a map stands for a position; games teach what the place is worth."

    def captions(self, player: Player) -> list[str]:
        """Which moves each map is for."""
        return [str(span) for span in with_maps(player).values.atlas.spans]

    def usual(self, player: Player) -> int:
        """The map of the middle of the game."""
        return (len(self.captions(player)) + 1) // 2

    def draw(self, player: Player, number: int, called: str) -> str:
        """One map. Raises UserError for a number that is not there."""
        mapped = with_maps(player)
        views = _views(mapped)
        if not 1 <= number <= len(views):
            raise UserError(f"'{called}' has the maps 1 to {len(views)}, not {number}.")
        title = f"{called}: map {number} of {len(views)}, {mapped.game.title}"
        return draw_map(views[number - 1], mapped.game.shape, title)

    def draw_game(self, player: Player, actions: Actions, called: str) -> str:
        mapped = with_maps(player)
        title = f"{called}: a game on the maps of {mapped.game.title}"
        return draw_path(_views(mapped), follow(mapped, actions), title)


PICTURES: Pictures = MapPictures()


def with_maps(player: Player) -> SelfOrganized:
    """The same player. Raises UserError where it has no maps."""
    if not isinstance(player, SelfOrganized):
        raise UserError(f"'{player.name}' has no maps; name a player of the learner 'som'.")
    return player


@lru_cache(maxsize=8)
def _views(player: SelfOrganized) -> list[MapView]:
    """What random games show of each map. Players are compared by identity: one that has learned more is another."""
    atlas, game, rng = player.values.atlas, player.game, np.random.default_rng(0)
    states = positions_of_random_games(game, GAMES_SEEN, rng)
    states = states[game.outcome(states) == ONGOING]
    places = atlas.find(boards_of(game, states))
    values = -player.values(states, rng).values
    learned = game.moves_left(states) > player.exact
    views = []
    for stage, span in enumerate(atlas.spans):
        here = places.stages == stage
        n_neurons = atlas.weights.shape[1]
        wins = np.bincount(places.neurons[here], minlength=n_neurons)
        counts = np.bincount(places.neurons[here & learned], minlength=n_neurons)
        sums = np.bincount(places.neurons[here & learned], values[here & learned], n_neurons)
        means = np.divide(sums, counts, out=np.full(n_neurons, np.nan), where=counts > 0)
        title = str(span) + ("" if counts.any() else ", searched to the end")
        views.append(MapView(atlas.shape, atlas.weights[stage], means, wins, title))
    return views


def follow(player: SelfOrganized, actions: Actions) -> list[Step]:
    """The positions of a game after each move; a pass leaves the board as it was."""
    game = player.game
    steps: list[Step] = []
    for ply, reached in enumerate(positions(game, actions)[1:]):
        state = reached[None]
        move = _move_number(game, state)
        if steps and steps[-1].move == move:
            continue
        found = player.values.atlas.find(boards_of(game, state))
        value = None
        if game.outcome(state)[0] == ONGOING and game.moves_left(state)[0] > player.exact:
            value = float(-player.values(state, np.random.default_rng(0)).values[0])
        steps.append(Step(int(found.stages[0]), int(found.neurons[0]), move, ply % 2, value))
    return steps


def _move_number(game: Game, state: States) -> int:
    return int(np.count_nonzero(game.cells(state))) - game.shape[0] * game.shape[1] + n_moves(game)
