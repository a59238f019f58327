"""`randori export`: a player's network for other programs."""

import json as json_text
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from randori.app.flags import JsonFlag, TrainedFlag
from randori.app.terminal import print_json
from randori.errors import UserError
from randori.networks.files import network_in
from randori.networks.graph import onnx_model
from randori.players.files import find_file, read_card
from randori.tensorfile import write_whole


def export(player: TrainedFlag, onnx: Annotated[Path, arg(metavar="FILE")], json: JsonFlag = False) -> None:
    """Writes the network of an alphazero or deep-q player as ONNX, with the player's card in its metadata.

    Args:
        onnx: The file to write.
    """
    path = find_file(player)
    card = read_card(path)
    if "architecture" not in card.settings:
        raise UserError(f"'{player}' has no network to export as ONNX; alphazero and deep-q players have one.")
    metadata = {
        name: it if isinstance(it, str) else json_text.dumps(it, sort_keys=True) for name, it in asdict(card).items()
    }
    network = network_in(path, card)
    model = onnx_model(network.architecture, network.tensors)
    try:
        write_whole(onnx, model.packed(metadata))
    except OSError as error:
        raise UserError(f"'{onnx}' cannot be written ({error.strerror}); choose another file.") from error
    outputs = [*model.outputs]
    if json:
        print_json({"player": player, "file": str(onnx), "bytes": onnx.stat().st_size, "outputs": outputs})
    else:
        print(f"Written to {onnx}: input obs, outputs {' and '.join(outputs)}.")
