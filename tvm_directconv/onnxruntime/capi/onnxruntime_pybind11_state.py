"""The names that packages import from ONNX Runtime's compiled module."""

from ..binding import IOBinding as SessionIOBinding  # noqa: F401
from ..description import ModelMetadata as ModelMetadata
from ..description import NodeArg as NodeArg
from ..errors import EngineError as EngineError
from ..errors import EPFail as EPFail
from ..errors import Fail as Fail
from ..errors import InvalidArgument as InvalidArgument
from ..errors import InvalidGraph as InvalidGraph
from ..errors import InvalidProtobuf as InvalidProtobuf
from ..errors import ModelLoaded as ModelLoaded
from ..errors import NoModel as NoModel
from ..errors import NoSuchFile as NoSuchFile
from ..errors import NotImplemented as NotImplemented
from ..errors import RuntimeException as RuntimeException
from ..options import ExecutionMode as ExecutionMode
from ..options import GraphOptimizationLevel as GraphOptimizationLevel
from ..options import RunOptions as RunOptions
from ..options import SessionOptions as SessionOptions
from ..values import OrtDevice as OrtDevice
from ..values import OrtValue as OrtValue
