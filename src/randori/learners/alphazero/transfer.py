"""Networks that begin with what another one learned."""

from randori.errors import UserError
from randori.game import Game
from randori.learners.networks import ResidualModule, load_tensors, tensors_of
from randori.players.files import find_file, read_card, read_tensors

TRUNK = ("stem.", "blocks.")


def take_over(place: str, game: Game, module: ResidualModule) -> None:
    """The whole network of a player of the same game on a board of any size, else its trunk; the rest stays new."""
    path = find_file(place)
    card, theirs = read_card(path), read_tensors(path)
    ours = tensors_of(module)
    if "stem.conv.weight" not in theirs:
        raise UserError(f"'{place}' has no residual network to take over; name a run of the learner 'alphazero'.")
    shared = ours if _family(card.game) == _family(game.name) else [name for name in ours if name.startswith(TRUNK)]
    n_blocks = len({name.split(".")[1] for name in theirs if name.startswith("blocks.")})
    for name in shared:
        if name not in theirs or theirs[name].shape != ours[name].shape:
            raise UserError(
                f"The network of '{place}' has {theirs['stem.conv.weight'].shape[1]} planes, "
                f"{theirs['stem.conv.weight'].shape[0]} channels and {n_blocks} blocks; set channels and blocks to the same."
            )
    extra = [name for name in theirs if name.startswith(TRUNK) and name not in ours]
    if extra:
        raise UserError(f"The network of '{place}' has {n_blocks} blocks; set --blocks {n_blocks}.")
    load_tensors(module, ours | {name: theirs[name] for name in shared})


def _family(name: str) -> str:
    """Othello on any board is Othello."""
    return name.rstrip("0123456789")
