"""Vectors of 16 floats in the terms of the compiler, for functions that write a kernel's innermost loops by hand."""

import math
from functools import cache
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

LANES = 16

FLOATS = types.CPointer(types.float32)
INTS = types.CPointer(types.int64)
VECTOR = ir.VectorType(ir.FloatType(), LANES)
INT64, _INT32 = ir.IntType(64), ir.IntType(32)
ZEROS, ONES = ir.Constant(VECTOR, [0.0] * LANES), ir.Constant(VECTOR, [1.0] * LANES)


def aligned(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Zeros that begin with a cache line."""
    size = math.prod(shape)
    room = np.zeros(size + LANES, np.float32)
    start = (-room.ctypes.data // room.itemsize) % LANES
    return room[start : start + size].reshape(shape)


def load(builder: Any, pointer: Any) -> Any:
    return builder.load(builder.bitcast(pointer, VECTOR.as_pointer()), align=4)


def store(builder: Any, vector: Any, pointer: Any) -> None:
    builder.store(vector, builder.bitcast(pointer, VECTOR.as_pointer()), align=4)


def at(builder: Any, pointer: Any, index: Any) -> Any:
    return builder.load(builder.gep(pointer, [index]))


def spread(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(_INT32, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES))


def add_product(builder: Any, total: Any, one: Any, other: Any) -> Any:
    """total + one * other, rounded once where the machine can."""
    product = builder.fmul(one, other, flags=("contract",))
    return builder.fadd(total, product, flags=("contract",))


def greater(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def fold(builder: Any, vector: Any, combine: Any) -> Any:
    """One number out of all lanes, by halves."""
    width = LANES
    while width > 1:
        width //= 2
        kept = [ir.Constant(ir.VectorType(_INT32, width), list(range(start, start + width))) for start in (0, width)]
        vector = combine(*(builder.shuffle_vector(vector, vector, lanes) for lanes in kept))
    return builder.extract_element(vector, ir.Constant(_INT32, 0))


def _on_stack(kind: Any) -> Any:
    @intrinsic
    def on_stack(_context: Any, _n: Any) -> Any:
        def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
            return builder.alloca(context.get_value_type(kind), size=args[0])

        return types.CPointer(kind)(types.int64), generate

    return on_stack


# Room for so many numbers until the kernel returns, wherever in it one asks: never in a loop.
floats_on_stack, int32s_on_stack, ints_on_stack, words_on_stack = map(
    _on_stack, (types.float32, types.int32, types.int64, types.uint64)
)


_ONE_SUM = f"""define <{LANES} x float> @sum(<{LANES} x float> %one, <{LANES} x float> %other) {{
  %total = fadd <{LANES} x float> %one, %other
  ret <{LANES} x float> %total
}}"""


@cache
def in_one_register(triple: str, cpu: str, features: str) -> bool:
    """Whether a machine that code is made for, as `codegen().magic_tuple()` names it, holds a vector in one register: as AVX-512
    does, which has 32 of them. Kernels are compiled for other machines too, so this one's own features do not count.

    Names of processors and lists of features imply each other in many ways: what the compiler makes of a sum tells.
    """
    machine = binding.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features)
    return "zmm" in machine.emit_assembly(binding.parse_assembly(_ONE_SUM))
