"""CUDA C compiled by NVIDIA's nvrtc, a library of its own that needs neither a GPU nor a driver.

It is found where a CUDA toolkit put it, or where pip's nvidia-cuda-nvrtc did.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from pathlib import Path

from tvm_directconv.errors import DeviceError

INSTALL = "pip install 'tvm-directconv[cuda]'"
LIBRARIES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "nvrtc64_130_0.dll", "nvrtc64_120_0.dll")
IN_PACKAGES = ("*/lib/libnvrtc.so.1?", "*/bin/nvrtc64_1??_0.dll", "*/bin/*/nvrtc64_1??_0.dll")
HEADERS = {
    "cuda/std/cstdint": """
namespace cuda { namespace std {
typedef unsigned char uint8_t; typedef unsigned short uint16_t;
typedef unsigned int uint32_t; typedef unsigned long long uint64_t;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
} }
""",
    "cuda/std/type_traits": """
namespace cuda { namespace std {
template <class A, class B> inline constexpr bool is_same_v = false;
template <class A> inline constexpr bool is_same_v<A, A> = true;
template <class A, class B> struct is_same { static constexpr bool value = is_same_v<A, B>; };
template <class A, class... B> inline constexpr bool is_one_of = (is_same_v<A, B> || ...);
template <class A> struct is_floating_point { static constexpr bool value = is_one_of<A, float, double>; };
template <class A> struct is_integral {
  static constexpr bool value = is_one_of<A, bool, char, signed char, unsigned char, short, unsigned short,
                                          int, unsigned, long, unsigned long, long long, unsigned long long>;
};
template <class A> struct is_signed { static constexpr bool value = A(-1) < A(0); };
template <class A> struct is_unsigned { static constexpr bool value = !(A(-1) < A(0)); };
template <bool, class A = void> struct enable_if {};
template <class A> struct enable_if<true, A> { typedef A type; };
template <bool, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
} }
""",
}
"""What TVM's source includes of the toolkit's headers when nvrtc compiles it: these need not be installed."""


def compile_cuda(source: str, arch: str) -> bytes:
    """Return the binary of kernels for ``arch``, such as "sm_90".

    Raises DeviceError where nvrtc is missing or refuses the source or the architecture.
    """
    library = _library()
    if library is None:
        raise DeviceError(f"CUDA kernels are compiled by NVIDIA's nvrtc, which is not installed: {INSTALL}")
    program = ctypes.c_void_p()
    texts = (ctypes.c_char_p * len(HEADERS))(*(text.encode() for text in HEADERS.values()))
    names = (ctypes.c_char_p * len(HEADERS))(*(name.encode() for name in HEADERS))
    _call(
        *(library, "nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"kernels.cu"),
        *(len(HEADERS), texts, names),
    )
    try:
        options = [f"--gpu-architecture={arch}", "--std=c++17", *(f"-I{path}" for path in _includes())]
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        status = library.nvrtcCompileProgram(program, len(options), given)
        if status:
            raise DeviceError(f"nvrtc refuses the kernels for {arch}: {_fault(library, program, status)}")
        return _read(library, "CUBIN", program)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


@functools.cache
def _library() -> ctypes.CDLL | None:
    for name in (*LIBRARIES, *(str(path) for pattern in IN_PACKAGES for path in _in_packages(pattern))):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return library
    return None


def _in_packages(pattern: str) -> Iterator[Path]:
    """Files of pip's packages of NVIDIA's, the newest first."""
    try:
        import nvidia
    except ImportError:
        return
    for folder in nvidia.__path__:
        yield from sorted(Path(folder).glob(pattern), reverse=True)


def _includes() -> list[Path]:
    """Folders of headers, which float16's are in."""
    return [path.parent for path in _in_packages("*/include/cuda_fp16.h")]


def _fault(library: ctypes.CDLL, program: ctypes.c_void_p, status: int) -> str:
    log = _read(library, "ProgramLog", program).decode(errors="replace")
    errors = [line.strip() for line in log.splitlines() if "error" in line]
    return errors[0] if errors else library.nvrtcGetErrorString(status).decode()


def _read(library: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _call(library, f"nvrtcGet{what}Size", program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    _call(library, f"nvrtcGet{what}", program, text)
    return text.raw


def _call(library: ctypes.CDLL, name: str, *arguments: object) -> None:
    status = getattr(library, name)(*arguments)
    if status:
        raise DeviceError(f"{name}: {library.nvrtcGetErrorString(status).decode()}")
