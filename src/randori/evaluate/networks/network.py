"""A network ready to be asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from randori.evaluate.networks.architecture import Architecture
from randori.evaluate.networks.graph import onnx_model

# Larger batches leave the processor's caches: slower, and more memory.
MOST_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Network:
    """An architecture and its arrays. One thread a process: parallel work is parallel processes."""

    architecture: Architecture
    tensors: Mapping[str, NDArray[Any]]

    def __call__(self, inputs: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """The outputs, each with the batch first: policy and value of a residual network, the one of a dense one."""
        parts = [
            self._session.run(None, {"obs": inputs[start : start + MOST_AT_ONCE]})
            for start in range(0, max(1, len(inputs)), MOST_AT_ONCE)
        ]
        return [np.concatenate(output) for output in zip(*parts, strict=True)]

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        model = onnx_model(self.architecture, self.tensors).SerializeToString()
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not the session, which is made again there."""
        return {"architecture": self.architecture, "tensors": self.tensors}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
