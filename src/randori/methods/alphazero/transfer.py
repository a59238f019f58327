"""Starts a network from what another one learned."""

from randori import games
from randori.core.game import Game
from randori.errors import UserError
from randori.networks import Residual
from randori.networks.files import network_in
from randori.networks.modules import ResidualModule, load_tensors, tensors_of
from randori.players.files import find_file, read_card

TRUNK = ("stem.", "blocks.")


def take_over(place: str, game: Game, module: ResidualModule) -> None:
    """The whole network of a player of the same game on a board of any size, else its trunk; the rest stays new.

    Where pieces go other ways on the other board, that is the trunk too.
    """
    path = find_file(place)
    card = read_card(path)
    network = network_in(path, card) if "architecture" in card.settings else None
    if network is None or not isinstance(network.architecture, Residual):
        raise UserError(f"'{place}' has no residual network to take over; name a run of the learner 'alphazero'.")
    theirs, ours = network.architecture, module.shape
    if (theirs.planes, theirs.channels, theirs.blocks) != (ours.planes, ours.channels, ours.blocks):
        raise UserError(
            f"The network of '{place}' has {theirs.planes} planes, {theirs.channels} channels and {theirs.blocks} blocks; "
            f"set --channels {theirs.channels} --blocks {theirs.blocks}."
        )
    whole = games.game(card.game).family == game.family and theirs.ways == ours.ways
    fresh = tensors_of(module)
    shared = {name: it for name, it in network.tensors.items() if whole or name.startswith(TRUNK)}
    load_tensors(module, fresh | shared)
