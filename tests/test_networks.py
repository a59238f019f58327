"""Networks as players run them, against the library that trains them and against plain sums."""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import foreign
import numpy as np
import onnx
import pytest
import torch

import randori
from randori.core.game import Game
from randori.core.layout import Steps
from randori.core.positions import positions_of_random_games
from randori.errors import UserError
from randori.kernels.vectors import in_one_register
from randori.networks import Dense, Network, Residual, residual_for
from randori.networks.architecture import array_shapes, check_fits, from_settings, refusal, to_settings
from randori.networks.graph import onnx_model
from randori.networks.kernels.winograd import TILES, grid_for, transforms
from randori.networks.modules import ResidualModule, make_module, tensors_of
from randori.networks.modules import by_action as tensor_by_action
from randori.networks.network import runtime_session
from randori.networks.planes import planes
from randori.networks.steps import by_action, ways_of

KNIGHT = tuple(sorted((down, right) for down in (-2, -1, 1, 2) for right in (-2, -1, 1, 2) if abs(down * right) == 2))
SQUARES, SQUARES_PASS, COLUMNS = (Residual(24, 2, it) for it in ("squares", "squares-pass", "columns"))  # type: ignore[arg-type]
STEPS, STEPS_PASS = (Residual(24, 2, it, ways=KNIGHT) for it in ("steps", "steps-pass"))  # type: ignore[arg-type]


def module_of(shape: Residual, seed: int = 0) -> ResidualModule:
    """A module whose batch norms have learned something."""
    module = make_module(shape, np.random.default_rng(seed))
    assert isinstance(module, ResidualModule)
    noise = torch.Generator().manual_seed(seed)
    for name, array in module.state_dict().items():
        if name.endswith(("running_mean", "norm.bias", "norm.weight", "running_var")):
            array += torch.rand(array.shape, generator=noise) * 0.5
    return module.eval()


def boards(n: int, planes: int, height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (n, planes, height, width)).astype(np.float32)


@pytest.mark.parametrize("tile", TILES)
def test_a_tile_is_the_convolution_written_out(tile: int) -> None:
    rng = np.random.default_rng(tile)
    inputs, taps = rng.normal(size=tile + 2), rng.normal(size=3)
    expected = [sum(inputs[place + it] * taps[it] for it in range(3)) for place in range(tile)]
    into, filters, back = transforms(tile)
    np.testing.assert_allclose(back @ ((into @ inputs) * (filters @ taps)), expected, rtol=1e-12)


def test_tiles_take_few_products() -> None:
    """The nine products of a plain convolution on each square come down to these, over all squares."""
    counts = {}
    for height, width in ((3, 3), (4, 4), (6, 6), (6, 7), (8, 8), (9, 9), (15, 15), (19, 19)):
        grid = grid_for(height, width)
        assert grid.down * grid.tile_height >= height
        assert grid.across * grid.tile_width >= width
        counts[height, width] = grid.down * (grid.tile_height + 2) * grid.across * (grid.tile_width + 2)
    assert counts == {
        (3, 3): 25,
        (4, 4): 36,
        (6, 6): 100,
        (6, 7): 120,
        (8, 8): 144,
        (9, 9): 225,
        (15, 15): 576,
        (19, 19): 900,
    }


@pytest.mark.parametrize("board", [(3, 3), (4, 4), (6, 7), (5, 10), (6, 6), (8, 8), (9, 9), (11, 3), (15, 15), (1, 2)])
@pytest.mark.parametrize("shape", [SQUARES, SQUARES_PASS, COLUMNS, STEPS, STEPS_PASS], ids=lambda it: it.actions)
def test_it_computes_what_torch_computes(board: tuple[int, int], shape: Residual) -> None:
    module, inputs = module_of(shape), boards(29, shape.planes, *board)
    with torch.no_grad():
        expected = module.double()(torch.from_numpy(inputs).double())
    found = Network(shape, tensors_of(module))(inputs)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == tuple(theirs.shape)
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "shape",
    [
        Residual(5, 1, "squares", 3, 7),
        Residual(16, 0, "columns", 1, 64),
        Residual(48, 1, "squares", 3, 20),
        Residual(104, 1, "columns", 3, 100),
    ],
)
@pytest.mark.parametrize("n", [0, 1, 2, 6, 7])
def test_odd_widths_and_batches(shape: Residual, n: int) -> None:
    module, inputs = module_of(shape, 1), boards(n, shape.planes, 7, 6, 1)
    with torch.no_grad():
        expected = module(torch.from_numpy(inputs))
    for ours, theirs in zip(Network(shape, tensors_of(module))(inputs), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-4)


def test_more_planes_than_lanes() -> None:
    shape = Residual(16, 1, "squares", planes=20)
    module, inputs = module_of(shape), boards(3, 20, 8, 8)
    with torch.no_grad():
        expected = module(torch.from_numpy(inputs))
    for ours, theirs in zip(Network(shape, tensors_of(module))(inputs), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-4)


def test_an_answer_does_not_depend_on_the_rest_of_the_batch() -> None:
    for shape, size in ((Residual(32, 2, "squares-pass"), 8), (Residual(80, 1, "squares"), 9)):
        network, inputs = Network(shape, tensors_of(module_of(shape))), boards(40, 3, size, size)
        together = network(inputs)
        for first, n in ((0, 1), (5, 1), (39, 1), (6, 2), (11, 3), (20, 5), (1, 7)):
            for few, all_of_them in zip(network(inputs[first : first + n]), together, strict=True):
                np.testing.assert_array_equal(few, all_of_them[first : first + n])


_JUDGE = """
import sys
import numpy as np
from randori.networks import Network, Residual
tensors = dict(np.load(sys.argv[1]))
policies, values = Network(Residual(32, 2, "squares-pass"), tensors)(tensors.pop("boards"))
np.savez(sys.argv[2], policies=policies, values=values)
"""


@pytest.mark.thorough
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names processors of another kind")
def test_registers_do_not_change_an_answer(tmp_path: Path) -> None:
    """Half a vector per register or a whole one: a processor without wide registers agrees to the last bit."""
    shape = Residual(32, 2, "squares-pass")
    tensors, inputs = tensors_of(module_of(shape)), boards(9, 3, 8, 8)
    np.savez(tmp_path / "inputs.npz", boards=inputs, **tensors)
    # A list of features, even an empty one, takes the place of those that this machine has.
    target = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
    command = [sys.executable, "-c", _JUDGE, str(tmp_path / "inputs.npz"), str(tmp_path / "outputs.npz")]
    subprocess.run(command, env={**os.environ, **target}, check=True, timeout=300)
    outputs = np.load(tmp_path / "outputs.npz")
    policies, values = Network(shape, tensors)(inputs)
    np.testing.assert_array_equal(outputs["policies"], policies)
    np.testing.assert_array_equal(outputs["values"], values)


@pytest.mark.parametrize(
    ("cpu", "features", "wide"),
    [
        ("x86-64", "", False),
        ("x86-64-v3", "", False),
        ("x86-64-v4", "", True),
        ("skylake-avx512", "", True),
        ("skylake-avx512", "-avx512f", False),
        ("haswell", "+avx512f", True),
    ],
)
def test_tiles_follow_the_machine_that_is_compiled_for(cpu: str, features: str, wide: bool) -> None:
    """Kernels are compiled on one machine for others too."""
    assert in_one_register("x86_64-unknown-linux-gnu", cpu, features) == wide


def test_one_network_fits_all_boards_in_turn() -> None:
    shape = Residual(16, 1, "squares")
    module = module_of(shape)
    network = Network(shape, tensors_of(module))
    for size in (9, 15, 9):
        inputs = boards(2, 3, size, size)
        with torch.no_grad():
            expected = module(torch.from_numpy(inputs))
        np.testing.assert_allclose(network(inputs)[0], expected[0].numpy(), rtol=1e-4, atol=1e-4)


def test_threads_do_not_disturb_each_other() -> None:
    shape = Residual(32, 2, "squares")
    network = Network(shape, tensors_of(module_of(shape)))
    questions = [boards(10, 3, 9, 9, seed) for seed in range(16)]
    expected = [network(it)[0] for it in questions]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(5):
            for ours, alone in zip(threads.map(network, questions), expected, strict=True):
                np.testing.assert_array_equal(ours[0], alone)


def test_arrays_of_another_network_are_refused() -> None:
    shape = Residual(16, 1, "squares")
    tensors = tensors_of(module_of(shape))
    with pytest.raises(ValueError, match=r"stem.conv.weight has the shape \(16, 3, 3, 3\) instead of \(32, 3, 3, 3\)"):
        Network(Residual(32, 1, "squares"), tensors)
    with pytest.raises(ValueError, match=r"no blocks.1.first.conv.weight"):
        Network(Residual(16, 2, "squares"), tensors)
    with pytest.raises(ValueError, match=r"value_output.bias has numbers that are not finite"):
        Network(shape, {**tensors, "value_output.bias": np.array([np.nan])})


def test_answers_that_are_not_finite_are_refused() -> None:
    """On any board of a batch; large finite numbers pass."""
    shape = Residual(16, 1, "squares")
    tensors, inputs = tensors_of(module_of(shape)), np.zeros((9, 3, 8, 8), np.float32)
    weights = np.full_like(tensors["policy_map.weight"], 1e25)
    network = Network(shape, {**tensors, "policy_map.weight": weights, "policy_map.bias": np.array([3e38], np.float32)})
    assert (network(inputs)[0] > 2e38).all()
    inputs[4] = 1e20
    with pytest.raises(UserError, match="no longer finite numbers"):
        network(inputs)
    assert network(np.delete(inputs, 4, axis=0))


@pytest.mark.parametrize(
    "shape", [Residual(8, 2, "squares-pass"), Residual(8, 0, "columns"), STEPS_PASS, Dense(7, (5, 4), 3)]
)
def test_the_arrays_are_those_that_are_trained(shape: Residual | Dense) -> None:
    trained = tensors_of(make_module(shape, np.random.default_rng(0)))
    expected = {name: it.shape for name, it in trained.items() if not name.endswith("num_batches_tracked")}
    assert array_shapes(shape) == expected


@pytest.fixture(scope="module")
def clobber() -> Iterator[Game]:
    with foreign.registered():
        yield randori.game("clobber5")


def test_the_ways_of_steps(clobber: Game) -> None:
    assert ways_of(clobber) == ((-1, 0), (0, -1), (0, 1), (1, 0))
    assert ways_of(randori.game("othello6")) == ()


@pytest.mark.parametrize("passes", [False, True])
def test_an_action_is_read_at_its_first_square_on_the_map_of_its_way(clobber: Game, passes: bool) -> None:
    """The network gives 100 w + s for the way w at the square s, and 1000 for the pass."""
    assert isinstance(clobber.layout, Steps)
    game = replace(clobber, name="clobber-pass", layout=replace(clobber.layout, passes=True)) if passes else clobber
    outputs = [100 * way + square for way in range(4) for square in range(25)]
    found = by_action(game, np.array([[*outputs, 1000] if passes else outputs]))
    expected = [100 * [(-5), -1, 1, 5].index(end - begin) + begin for begin, end in clobber.layout.pairs]
    np.testing.assert_array_equal(found, [[*expected, 1000] if passes else expected])
    assert found.flags.c_contiguous
    assert residual_for(game, 8, 1).actions == ("steps-pass" if passes else "steps")


@pytest.mark.parametrize("passes", [False, True])
def test_torch_kernels_and_runtime_agree_on_steps(clobber: Game, passes: bool) -> None:
    assert isinstance(clobber.layout, Steps)
    game = replace(clobber, name="clobber-pass", layout=replace(clobber.layout, passes=True)) if passes else clobber
    shape = residual_for(game, 16, 2)
    module = module_of(shape)
    inputs = planes(clobber, positions_of_random_games(clobber, 5, np.random.default_rng(0)))
    with torch.no_grad():
        policy, values = module(torch.from_numpy(inputs))
        expected = tensor_by_action(game, policy).numpy()
    assert expected.shape == (len(inputs), game.n_actions)
    tensors = tensors_of(module)
    for outputs in (Network(shape, tensors)(inputs), runtime_session(shape, tensors).run(None, {"obs": inputs})):
        np.testing.assert_allclose(by_action(game, outputs[0]), expected, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(outputs[1], values.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [SQUARES_PASS, STEPS, Dense(7, (5, 4), 3)])
def test_the_model_is_valid_onnx(shape: Residual | Dense) -> None:
    model = onnx_model(shape, tensors_of(make_module(shape, np.random.default_rng(0))))
    parsed = onnx.load_model_from_string(model.packed({"a": "1", "größe": "ü"}))
    onnx.checker.check_model(parsed, full_check=True)
    assert {it.key: it.value for it in parsed.metadata_props} == {"a": "1", "größe": "ü"}
    assert [it.name for it in parsed.graph.output] == [*model.outputs]


@pytest.mark.parametrize("shape", [SQUARES_PASS, STEPS, Dense(7, (5, 4), 3)])
def test_a_shape_comes_back_from_plain_values(shape: Residual | Dense) -> None:
    plain = json.loads(json.dumps(to_settings(shape)))
    assert from_settings(plain) == shape
    assert ("ways" in plain) == (shape is STEPS)


def test_networks_of_other_moves_are_refused(clobber: Game) -> None:
    with pytest.raises(ValueError, match="names the ways"):
        Residual(8, 1, "steps")
    with pytest.raises(ValueError, match="names the ways"):
        Residual(8, 1, "squares", ways=KNIGHT)
    check_fits(clobber, residual_for(clobber, 8, 1))
    for shape in (STEPS, SQUARES):
        with pytest.raises(UserError, match="other moves than Clobber 5x5 has"):
            check_fits(clobber, shape)


def test_games_that_networks_cannot_judge_say_why(clobber: Game) -> None:
    assert refusal(clobber) is None
    assert refusal(randori.game("othello6")) is None
    assert "do not tell the whole position" in (refusal(randori.game("breakthrough5")) or "")
