"""A network as an ONNX graph: what other programs can load, and what the runtime runs of dense ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from randori.networks.architecture import Architecture, Dense, Residual
from randori.networks.folding import Tensors, folded

# Opset 18 and this version of the format are read by every runtime of the last years.
OPSET, IR_VERSION = 18, 10


def onnx_model(
    architecture: Architecture, tensors: Tensors, metadata: Mapping[str, str] | None = None
) -> onnx.ModelProto:
    """The model: input `obs`, outputs `policy` and `value` (residual) or `output` (dense); the batch has any size.

    Where actions are steps, the policy has a map of all squares for each of the architecture's ways, and then the pass.
    """
    graph = _Graph(tensors)
    made = _residual(graph, architecture) if isinstance(architecture, Residual) else _dense(graph, architecture)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, dict(metadata or {}))
    onnx.checker.check_model(model)
    return model


class _Graph:
    """Nodes and constants so far; each method adds some and returns the name of its result."""

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def node(self, operation: str, *inputs: str, **attributes: Any) -> str:
        result = f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, inputs, [result], **attributes))
        return result

    def constant(self, array: NDArray[Any]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
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

    def graph(self, inputs: list[Any], outputs: dict[str, tuple[str, list[Any]]]) -> onnx.GraphProto:
        for name, (source, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [source], [name]))
        told = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, (_, shape) in outputs.items()]
        taken = [helper.make_tensor_value_info("obs", TensorProto.FLOAT, inputs)]
        return helper.make_graph(self.nodes, "network", taken, told, self.constants)


def _residual(graph: _Graph, shape: Residual) -> onnx.GraphProto:
    trunk = graph.node("Relu", graph.convolution("stem", "obs"))
    for block in range(shape.blocks):
        inner = graph.node("Relu", graph.convolution(f"blocks.{block}.first", trunk))
        trunk = graph.node("Relu", graph.node("Add", graph.convolution(f"blocks.{block}.second", inner), trunk))
    policy = _policy(graph, shape, graph.node("Relu", graph.convolution("policy", trunk)))
    pooled = _pooled(graph, graph.node("Relu", graph.convolution("value", trunk)))
    hidden = graph.node("Relu", graph.linear("value_hidden", pooled))
    value = graph.node("Reshape", graph.node("Tanh", graph.linear("value_output", hidden)), graph.integers(-1))
    outputs: dict[str, tuple[str, list[Any]]] = {"policy": (policy, ["N", "A"]), "value": (value, ["N"])}
    return graph.graph(["N", shape.planes, "H", "W"], outputs)


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


def _dense(graph: _Graph, shape: Dense) -> onnx.GraphProto:
    source = "obs"
    for layer in range(len(shape.widths) - 1):
        source = graph.node("Sigmoid", graph.linear(f"layers.{layer}", source))
    return graph.graph(["N", shape.inputs], {"output": (source, ["N", shape.outputs])})
