"""Networks as players run them, against the library that trains them and against sums written out."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from randori.networks import Dense, Network, Residual
from randori.networks.architecture import array_shapes
from randori.networks.kernels.winograd import TILES, grid_for, transforms
from randori.networks.modules import ResidualModule, make_module, tensors_of


def module_of(shape: Residual, seed: int = 0) -> ResidualModule:
    """One whose batch norms have learned something."""
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
@pytest.mark.parametrize("actions", ["squares", "squares-pass", "columns"])
def test_it_says_what_torch_says(board: tuple[int, int], actions: str) -> None:
    shape = Residual(24, 2, actions)  # type: ignore[arg-type]
    module, seen = module_of(shape), boards(29, shape.planes, *board)
    with torch.no_grad():
        expected = module.double()(torch.from_numpy(seen).double())
    found = Network(shape, tensors_of(module))(seen)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == tuple(theirs.shape)
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [Residual(5, 1, "squares", 3, 7), Residual(16, 0, "columns", 1, 64)])
@pytest.mark.parametrize("n", [0, 1, 6, 7])
def test_odd_widths_and_batches(shape: Residual, n: int) -> None:
    module, seen = module_of(shape, 1), boards(n, shape.planes, 7, 6, 1)
    with torch.no_grad():
        expected = module(torch.from_numpy(seen))
    for ours, theirs in zip(Network(shape, tensors_of(module))(seen), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-4)


def test_more_planes_than_lanes() -> None:
    shape = Residual(16, 1, "squares", planes=20)
    module, seen = module_of(shape), boards(3, 20, 8, 8)
    with torch.no_grad():
        expected = module(torch.from_numpy(seen))
    for ours, theirs in zip(Network(shape, tensors_of(module))(seen), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-4)


def test_an_answer_does_not_depend_on_what_else_is_asked() -> None:
    shape = Residual(32, 2, "squares-pass")
    network, seen = Network(shape, tensors_of(module_of(shape))), boards(40, 3, 8, 8)
    together = network(seen)
    for place in (0, 5, 6, 39):
        for alone, one in zip(network(seen[place : place + 1]), together, strict=True):
            np.testing.assert_array_equal(alone[0], one[place])


def test_one_network_fits_all_boards_in_turn() -> None:
    shape = Residual(16, 1, "squares")
    module = module_of(shape)
    network = Network(shape, tensors_of(module))
    for size in (9, 15, 9):
        seen = boards(2, 3, size, size)
        with torch.no_grad():
            expected = module(torch.from_numpy(seen))
        np.testing.assert_allclose(network(seen)[0], expected[0].numpy(), rtol=1e-4, atol=1e-4)


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


@pytest.mark.parametrize("shape", [Residual(8, 2, "squares-pass"), Residual(8, 0, "columns"), Dense(7, (5, 4), 3)])
def test_the_arrays_are_those_that_are_trained(shape: Residual | Dense) -> None:
    trained = tensors_of(make_module(shape, np.random.default_rng(0)))
    expected = {name: it.shape for name, it in trained.items() if not name.endswith("num_batches_tracked")}
    assert array_shapes(shape) == expected
