"""The classes of sessions and values, where ONNX Runtime has them."""

from ..binding import IOBinding as IOBinding
from ..session import InferenceSession as InferenceSession
from ..session import InferenceSession as Session  # noqa: F401
from ..values import OrtDevice as OrtDevice
from ..values import OrtValue as OrtValue
