"""Networks that are ready to evaluate positions."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori.errors import UserError
from randori.networks.architecture import Architecture, Residual, check_arrays
from randori.networks.compiled import CompiledResidual
from randori.networks.folding import Tensors


@dataclass(frozen=True, eq=False)
class Network:
    """An architecture and its arrays; ValueError where these are not its own.

    One thread a process: parallel work is parallel processes.
    """

    architecture: Architecture
    tensors: Tensors

    def __post_init__(self) -> None:
        check_arrays(self.architecture, self.tensors)

    def __call__(self, inputs: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """The outputs, each with the batch first: policy and value of a residual network, the one of a dense one."""
        if isinstance(self.architecture, Residual):
            outputs = self._compiled(*inputs.shape[2:])(inputs)
        else:
            outputs = self._run_dense(inputs)
        if outputs is None:
            raise UserError(
                "The network's values are no longer finite numbers: its file is damaged, or it was trained with too large "
                "a step; train it again with a smaller one."
            )
        return outputs

    def _run_dense(self, inputs: NDArray[np.float32]) -> list[NDArray[np.float32]] | None:
        outputs: list[NDArray[np.float32]] = self._session.run(None, {"obs": inputs})
        return outputs if all(np.isfinite(it).all() for it in outputs) else None

    def _compiled(self, height: int, width: int) -> CompiledResidual:
        """It fits every board, and is prepared for a board when it first evaluates one."""
        assert isinstance(self.architecture, Residual)
        if (height, width) not in self._prepared:
            self._prepared[height, width] = CompiledResidual(self.architecture, self.tensors, height, width)
        return self._prepared[height, width]

    @cached_property
    def _prepared(self) -> dict[tuple[int, int], CompiledResidual]:
        return {}

    @cached_property
    def _session(self) -> Any:
        return runtime_session(self.architecture, self.tensors)

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process, which prepares the network again."""
        return {"architecture": self.architecture, "tensors": self.tensors}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def runtime_session(architecture: Architecture, tensors: Tensors) -> Any:
    """The network in onnxruntime, which is loaded for this alone: residual networks do without."""
    import onnxruntime

    from randori.networks.graph import onnx_model

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    model = onnx_model(architecture, tensors).packed({})
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
