"""The exception classes of ONNX Runtime, with its codes, and what of this library's errors they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tvm_directconv.errors import InputError, ModelError, UnsupportedOperatorError


class _Status(Exception):
    """An error that begins as ONNX Runtime's do: with a code and its name."""

    code, title = 0, ""

    def __init__(self, message: str) -> None:
        super().__init__(f"[ONNXRuntimeError] : {self.code} : {self.title} : {message}")


class Fail(_Status):
    code, title = 1, "FAIL"


class InvalidArgument(_Status):
    code, title = 2, "INVALID_ARGUMENT"


class NoSuchFile(_Status):
    code, title = 3, "NO_SUCHFILE"


class NoModel(_Status):
    code, title = 4, "NO_MODEL"


class EngineError(_Status):
    code, title = 5, "ENGINE_ERROR"


class RuntimeException(_Status):
    code, title = 6, "RUNTIME_EXCEPTION"


class InvalidProtobuf(_Status):
    code, title = 7, "INVALID_PROTOBUF"


class ModelLoaded(_Status):
    code, title = 8, "MODEL_LOADED"


class NotImplemented(_Status):
    code, title = 9, "NOT_IMPLEMENTED"


class InvalidGraph(_Status):
    code, title = 10, "INVALID_GRAPH"


class EPFail(_Status):
    code, title = 11, "EP_FAIL"


@contextmanager
def translated() -> Iterator[None]:
    """Raise ONNX Runtime's classes in place of this library's, with the same text."""
    try:
        yield
    except InputError as error:
        raise InvalidArgument(str(error)) from error
    except UnsupportedOperatorError as error:
        raise NotImplemented(str(error)) from error  # noqa: F901 - the class above
    except ModelError as error:
        raise Fail(str(error)) from error
