"""The networks in player files."""

from pathlib import Path

from randori.errors import UserError
from randori.networks import Network
from randori.networks.architecture import from_settings
from randori.players.files import Card, read_tensors


def network_in(path: Path, card: Card) -> Network:
    """The network of a player that has one. Raises UserError where it is not what the card says."""
    try:
        return Network(from_settings(card.settings["architecture"]), read_tensors(path))
    except (TypeError, ValueError) as error:
        raise UserError(f"'{path}' is damaged: {error}.") from error
