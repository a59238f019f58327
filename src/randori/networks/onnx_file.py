"""ONNX files, of which the package for them is larger than all of ours: the messages of `onnx.proto` that a network needs.

A message is a row of fields in the encoding of Protocol Buffers: number and kind of the field, then a number or bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Opset 18 and this version of the format are read by every runtime of the last years.
OPSET, IR_VERSION = 18, 10

_NUMBER, _BYTES = 0, 2
_TYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}
_FLOAT = _TYPES[np.dtype(np.float32)]
_INT, _INTS = 2, 7  # kinds of attributes

Size = int | str
"""Of a dimension: a number, or the name of one that is open."""


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    assert number >= 0
    low = []
    while number > 0x7F:
        low.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*low, number])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | _NUMBER) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _fields(number: int, values: Sequence[str | bytes]) -> bytes:
    return b"".join(_field(number, it) for it in values)


def node(operation: str, inputs: Sequence[str], output: str, **attributes: int | list[int]) -> bytes:
    """NodeProto."""
    encoded = [_attribute(name, value) for name, value in sorted(attributes.items())]
    return _fields(1, inputs) + _field(2, output) + _field(4, operation) + _fields(5, encoded)


def _attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, _INT)
    return _field(1, name) + b"".join(_field(8, it) for it in value) + _field(20, _INTS)


def tensor(name: str, array: NDArray[np.float32] | NDArray[np.int64]) -> bytes:
    """TensorProto; its contents are little-endian everywhere."""
    dims = _field(1, b"".join(map(_varint, array.shape)))
    raw = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    return dims + _field(2, _TYPES[array.dtype]) + _field(8, name) + _field(9, raw)


def _described(name: str, shape: Sequence[Size]) -> bytes:
    """ValueInfoProto of an array of floats."""
    dims = [_field(1, it) if isinstance(it, int) else _field(2, it) for it in shape]
    return _field(1, name) + _field(2, _field(1, _field(1, _FLOAT) + _field(2, _fields(1, dims))))


@dataclass(frozen=True)
class Model:
    """A network as ONNX has it."""

    nodes: Sequence[bytes]
    constants: Sequence[bytes]
    inputs: Mapping[str, Sequence[Size]]
    outputs: Mapping[str, Sequence[Size]]

    def packed(self, metadata: Mapping[str, str]) -> bytes:
        """The bytes of the file (ModelProto)."""
        graph = _fields(1, self.nodes) + _field(2, "network") + _fields(5, self.constants)
        graph += _fields(11, [_described(*it) for it in self.inputs.items()])
        graph += _fields(12, [_described(*it) for it in self.outputs.items()])
        properties = [_field(1, key) + _field(2, value) for key, value in metadata.items()]
        operators = _field(1, "") + _field(2, OPSET)
        return _field(1, IR_VERSION) + _field(7, graph) + _field(8, operators) + _fields(14, properties)
