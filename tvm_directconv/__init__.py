"""tvm-directconv: the CPU convolution library of Apache TVM, and a compiler of networks that uses it.

import tvm_directconv as directconv
model = directconv.compile("resnet50.onnx", target="llvm -mcpu=native")
outputs = model.run([image])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .registration import leave_torch_out as _leave_torch_out
from .registration import prepare_tvm as _prepare_tvm
from .version import __version__ as __version__

_leave_torch_out()
_prepare_tvm()

if TYPE_CHECKING:
    from relay_strategies.compiler.compiler import compile as compile
    from relay_strategies.compiler.device_layer import DeviceConv2dLayer as DeviceConv2dLayer
    from relay_strategies.compiler.inspection import inspect as inspect
    from relay_strategies.compiler.layer import Conv2dLayer as Conv2dLayer
    from relay_strategies.compiler.layer import build_conv2d as build_conv2d
    from relay_strategies.frontends.onnx.split import split as split
    from relay_strategies.frontends.relay.model import from_relay as from_relay
    from relay_strategies.pipeline import from_onnx as from_onnx
    from relay_strategies.strategies import OperatorStrategy as OperatorStrategy
    from relay_strategies.strategies import OperatorWorkload as OperatorWorkload
    from relay_strategies.strategies import OpStrategy as OpStrategy
    from relay_strategies.strategies import avg_pool2d_strategy as avg_pool2d_strategy
    from relay_strategies.strategies import batch_matmul_strategy as batch_matmul_strategy
    from relay_strategies.strategies import conv1d_strategy as conv1d_strategy
    from relay_strategies.strategies import conv2d_strategy as conv2d_strategy
    from relay_strategies.strategies import conv2d_strategy_generic as conv2d_strategy_generic
    from relay_strategies.strategies import conv2d_transpose_strategy as conv2d_transpose_strategy
    from relay_strategies.strategies import conv3d_strategy as conv3d_strategy
    from relay_strategies.strategies import dense_strategy as dense_strategy
    from relay_strategies.strategies import depthwise_conv2d_strategy as depthwise_conv2d_strategy
    from relay_strategies.strategies import group_conv2d_strategy as group_conv2d_strategy
    from relay_strategies.strategies import max_pool2d_strategy as max_pool2d_strategy
    from relay_strategies.strategies import operator_definition as operator_definition
    from relay_strategies.strategies import operator_strategy as operator_strategy
    from relay_strategies.strategies import operator_strategy_generic as operator_strategy_generic
    from relay_strategies.strategies import softmax_strategy as softmax_strategy
    from relay_strategies.strategies.records import apply_history_best as apply_history_best
    from relay_strategies.strategies.templates import register_template as register_template
    from relay_strategies.tuning.callbacks import log_to_file as log_to_file
    from relay_strategies.tuning.callbacks import progress_bar as progress_bar
    from relay_strategies.tuning.measure_option import LocalBuilder as LocalBuilder
    from relay_strategies.tuning.measure_option import LocalRunner as LocalRunner
    from relay_strategies.tuning.measure_option import RPCRunner as RPCRunner
    from relay_strategies.tuning.measure_option import measure_option as measure_option
    from relay_strategies.tuning.task import create_task as create_task
    from relay_strategies.tuning.task import extract_tasks as extract_tasks
    from relay_strategies.tuning.tune import tune as tune
    from relay_strategies.tuning.tuners import GATuner as GATuner
    from relay_strategies.tuning.tuners import GridSearchTuner as GridSearchTuner
    from relay_strategies.tuning.tuners import RandomTuner as RandomTuner
    from relay_strategies.tuning.tuners import XGBTuner as XGBTuner

    from .bench.pareto import ParetoReport as ParetoReport
    from .bench.pareto import pareto as pareto
    from .errors import AlgorithmError as AlgorithmError
    from .errors import BenchmarkError as BenchmarkError
    from .errors import DataDependentError as DataDependentError
    from .errors import DeviceError as DeviceError
    from .errors import DirectConvError as DirectConvError
    from .errors import InputError as InputError
    from .errors import ModelError as ModelError
    from .errors import ParameterError as ParameterError
    from .errors import TargetError as TargetError
    from .errors import TuningError as TuningError
    from .errors import UnsupportedOperatorError as UnsupportedOperatorError
    from .errors import VerificationError as VerificationError
    from .errors import WorkloadError as WorkloadError
    from .measure.profiling import Breakdown as Breakdown
    from .measure.profiling import breakdown as breakdown
    from .problem.quantized_types import QuantizedTypes as QuantizedTypes
    from .problem.workload import Conv2dWorkload as Conv2dWorkload
    from .problem.workload import Epilogue as Epilogue
    from .runtime.compiled_model import CompiledModel as CompiledModel
    from .runtime.loading import load as load
    from .targets.target import CompileTarget as CompileTarget
    from .targets.target import resolve_target as resolve_target
    from .verification import Verification as Verification
    from .verification import verify as verify

_HOMES = {
    "AlgorithmError": "tvm_directconv.errors",
    "BenchmarkError": "tvm_directconv.errors",
    "Breakdown": "tvm_directconv.measure.profiling",
    "CompileTarget": "tvm_directconv.targets.target",
    "CompiledModel": "tvm_directconv.runtime.compiled_model",
    "Conv2dLayer": "relay_strategies.compiler.layer",
    "Conv2dWorkload": "tvm_directconv.problem.workload",
    "DataDependentError": "tvm_directconv.errors",
    "DeviceError": "tvm_directconv.errors",
    "DeviceConv2dLayer": "relay_strategies.compiler.device_layer",
    "DirectConvError": "tvm_directconv.errors",
    "Epilogue": "tvm_directconv.problem.workload",
    "GATuner": "relay_strategies.tuning.tuners",
    "GridSearchTuner": "relay_strategies.tuning.tuners",
    "InputError": "tvm_directconv.errors",
    "LocalBuilder": "relay_strategies.tuning.measure_option",
    "LocalRunner": "relay_strategies.tuning.measure_option",
    "ModelError": "tvm_directconv.errors",
    "OpStrategy": "relay_strategies.strategies",
    "OperatorStrategy": "relay_strategies.strategies",
    "OperatorWorkload": "relay_strategies.strategies",
    "ParameterError": "tvm_directconv.errors",
    "ParetoReport": "tvm_directconv.bench.pareto",
    "QuantizedTypes": "tvm_directconv.problem.quantized_types",
    "RPCRunner": "relay_strategies.tuning.measure_option",
    "RandomTuner": "relay_strategies.tuning.tuners",
    "TargetError": "tvm_directconv.errors",
    "TuningError": "tvm_directconv.errors",
    "UnsupportedOperatorError": "tvm_directconv.errors",
    "Verification": "tvm_directconv.verification",
    "VerificationError": "tvm_directconv.errors",
    "WorkloadError": "tvm_directconv.errors",
    "XGBTuner": "relay_strategies.tuning.tuners",
    "apply_history_best": "relay_strategies.strategies.records",
    "avg_pool2d_strategy": "relay_strategies.strategies",
    "batch_matmul_strategy": "relay_strategies.strategies",
    "breakdown": "tvm_directconv.measure.profiling",
    "build_conv2d": "relay_strategies.compiler.layer",
    "compile": "tvm_directconv.warm",
    "conv1d_strategy": "relay_strategies.strategies",
    "conv2d_strategy": "relay_strategies.strategies",
    "conv2d_strategy_generic": "relay_strategies.strategies",
    "conv2d_transpose_strategy": "relay_strategies.strategies",
    "conv3d_strategy": "relay_strategies.strategies",
    "create_task": "relay_strategies.tuning.task",
    "dense_strategy": "relay_strategies.strategies",
    "depthwise_conv2d_strategy": "relay_strategies.strategies",
    "extract_tasks": "relay_strategies.tuning.task",
    "from_onnx": "relay_strategies.pipeline",
    "from_relay": "relay_strategies.frontends.relay.model",
    "group_conv2d_strategy": "relay_strategies.strategies",
    "inspect": "relay_strategies.compiler.inspection",
    "load": "tvm_directconv.runtime.loading",
    "log_to_file": "relay_strategies.tuning.callbacks",
    "max_pool2d_strategy": "relay_strategies.strategies",
    "measure_option": "relay_strategies.tuning.measure_option",
    "operator_definition": "relay_strategies.strategies",
    "operator_strategy": "relay_strategies.strategies",
    "operator_strategy_generic": "relay_strategies.strategies",
    "pareto": "tvm_directconv.bench.pareto",
    "progress_bar": "relay_strategies.tuning.callbacks",
    "register_template": "relay_strategies.strategies.templates",
    "resolve_target": "tvm_directconv.targets.target",
    "softmax_strategy": "relay_strategies.strategies",
    "split": "relay_strategies.frontends.onnx.split",
    "tune": "relay_strategies.tuning.tune",
    "verify": "tvm_directconv.verification",
}
"""The public names, imported when they are first asked for: importing TVM takes seconds."""

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' does not have an attribute '{name}'")
    try:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if error.name not in (_HOMES[name], _HOMES[name].partition(".")[0]):
            raise
        from .errors import DirectConvError

        raise DirectConvError(
            f"'{name}' is not of the package that only runs models; pip install tvm-directconv in its place"
        ) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_HOMES, *(name for name in globals() if name.startswith("__"))})
