"""Records of arrays that kernels take, declared once: a NamedTuple with a line for each field.

    class Search(NamedTuple):
        order: Annotated[Int64s, "n_plies, n_actions"]  # the greater, the sooner
        frames: Annotated[Int64s, "n_plies, FRAME"]
        n_actions: int

The text is the shape, one expression for each dimension. What is no array is a number or another record. From the class
come the type that a kernel's signature names (`numba_type`), new arrays (`allocate`) and, inside kernels, the record of
bare pointers that inner functions take (`pointers`).
"""

import ast
import sys
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

Int8s = NDArray[np.int8]
Int16s = NDArray[np.int16]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]

Record = TypeVar("Record", bound=tuple[Any, ...])

_NUMBERS = {int: types.int64, float: types.float64, bool: types.boolean, np.float32: types.float32}


class _Field(NamedTuple):
    kind: Any  # numba's
    dtype: Any  # numpy's; None where the field is no array
    shape: CodeType | None


@cache
def _fields(record: type[Record]) -> dict[str, _Field]:
    return {name: _field(hint) for name, hint in get_type_hints(record, include_extras=True).items()}


def _field(hint: Any) -> _Field:
    if get_origin(hint) is Annotated:
        array, shape = get_args(hint)
        last = get_args(array)[-1]  # dtype[X]; X itself where numpy's NDArray is an alias by name
        (dtype,) = get_args(last) or (last,)
        tree: Any = ast.parse(f"({shape},)", mode="eval")
        kind = types.Array(numba.from_dtype(np.dtype(dtype)), len(tree.body.elts), "C")
        return _Field(kind, dtype, compile(tree, "<shape>", "eval"))
    return _Field(_NUMBERS[hint] if hint in _NUMBERS else numba_type(hint), None, None)


def numba_type(record: type[Record]) -> Any:
    return types.BaseTuple.from_types([field.kind for field in _fields(record).values()], record)


def allocate(record: type[Record], make: Callable[..., NDArray[Any]], **sizes: float) -> Record:
    """A record of new arrays, each made by `make(shape, dtype)`, be that `np.zeros` or `np.empty`.

    Shapes are computed from the sizes and the constants of the record's module; numbers are the sizes of the same name.
    """
    values: list[Any] = []
    constants = vars(sys.modules[record.__module__])
    for name, field in _fields(record).items():
        values.append(sizes[name] if field.shape is None else make(eval(field.shape, constants, sizes), field.dtype))
    return record(*values)


def _without_arrays(kind: Any) -> Any:
    if isinstance(kind, types.Array):
        return types.CPointer(kind.dtype)
    if isinstance(kind, types.BaseNamedTuple):
        return types.BaseTuple.from_types([_without_arrays(it) for it in kind.types], kind.instance_class)
    return kind


@intrinsic
def pointers(_context: Any, record: Any) -> Any:
    """Inside kernels: the same record with bare pointers to the first element in place of arrays, which must outlive
    them. Arrays are counted references, and counting them at every call of an inner function took longer than a search.
    """

    def convert(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            return context.make_array(kind)(context, builder, value).data
        if isinstance(kind, types.BaseNamedTuple):
            fields = (convert(context, builder, it, builder.extract_value(value, i)) for i, it in enumerate(kind.types))
            return context.make_tuple(builder, _without_arrays(kind), list(fields))
        return value

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return convert(context, builder, typed.args[0], args[0])

    return _without_arrays(record)(record), generate
