"""A network as an ONNX graph: what other programs can load, and what the runtime runs of dense ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori.networks.architecture import Architecture, Dense, Residual
from randori.networks.folding import Tensors, folded
from randori.networks.onnx_file import Model, Size, node, tensor


def onnx_model(architecture: Architecture, tensors: Tensors) -> Model:
    """The model: input `obs`, outputs `policy` and `value` (residual) or `output` (dense); the batch has any size.

    Where actions are steps, the policy has a map of all squares for each of the architecture's ways, and then the pass.
    """
    graph = _Graph(tensors)
    return _residual(graph, architecture) if isinstance(architecture, Residual) else _dense(graph, architecture)


class _Graph:
    """Nodes and constants so far; each method adds some and returns the name of its result."""

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []

    def node(self, operation: str, *inputs: str, **attributes: int | list[int]) -> str:
        result = f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(node(operation, inputs, result, **attributes))
        return result

    def constant(self, array: NDArray[Any]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(tensor(name, array))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def convolution(self, name: str, source: str) -> str:
        """A convolution with the batch norm after it folded into its weights."""
        weights, bias = folded(self.tensors, name)
        pad = weights.shape[2] // 2
        return self.node("Conv", source, self.constant(weights), self.constant(bias), pads=[pad] * 4)

    def linear(self, name: str, source: str) -> str:
        weights, bias = (np.asarray(self.tensors[f"{name}.{part}"], np.float32) for part in ("weight", "bias"))
        return self.node("Gemm", source, self.constant(weights), self.constant(bias), transB=1)

    def model(self, inputs: list[Size], outputs: dict[str, tuple[str, list[Size]]]) -> Model:
        for name, (source, _) in outputs.items():
            self.nodes.append(node("Identity", [source], name))
        shapes = {name: shape for name, (_, shape) in outputs.items()}
        return Model(self.nodes, self.constants, {"obs": inputs}, shapes)


def _residual(graph: _Graph, shape: Residual) -> Model:
    trunk = graph.node("Relu", graph.convolution("stem", "obs"))
    for block in range(shape.blocks):
        inner = graph.node("Relu", graph.convolution(f"blocks.{block}.first", trunk))
        trunk = graph.node("Relu", graph.node("Add", graph.convolution(f"blocks.{block}.second", inner), trunk))
    policy = _policy(graph, shape, graph.node("Relu", graph.convolution("policy", trunk)))
    pooled = _pooled(graph, graph.node("Relu", graph.convolution("value", trunk)))
    hidden = graph.node("Relu", graph.linear("value_hidden", pooled))
    value = graph.node("Reshape", graph.node("Tanh", graph.linear("value_output", hidden)), graph.integers(-1))
    outputs: dict[str, tuple[str, list[Size]]] = {"policy": (policy, ["N", "A"]), "value": (value, ["N"])}
    return graph.model(["N", shape.planes, "H", "W"], outputs)


def _pooled(graph: _Graph, source: str) -> str:
    return graph.node("ReduceMean", source, graph.integers(2, 3), keepdims=0)


def _policy(graph: _Graph, shape: Residual, features: str) -> str:
    weights, bias = (
        graph.constant(np.asarray(graph.tensors[f"policy_map.{it}"], np.float32)) for it in ("weight", "bias")
    )
    maps = graph.node("Conv", features, weights, bias)
    if shape.actions == "columns":
        return graph.node("ReduceSum", maps, graph.integers(1, 2), keepdims=0)
    flat = graph.node("Flatten", maps)
    if not shape.passes:
        return flat
    return graph.node("Concat", flat, graph.linear("policy_pass", _pooled(graph, features)), axis=1)


def _dense(graph: _Graph, shape: Dense) -> Model:
    source = "obs"
    for layer in range(len(shape.widths) - 1):
        source = graph.node("Sigmoid", graph.linear(f"layers.{layer}", source))
    return graph.model(["N", shape.inputs], {"output": (source, ["N", shape.outputs])})
