"""What a model costs that is idle most of the time: CPU seconds of a process that runs it six times a second.

    TVM_NUM_THREADS=2 TVM_THREAD_POOL_SPIN_COUNT=2000 python idle.py

prints the least time of a run, and the CPU time of 8 seconds of such runs. docs/serving.md has figures.
"""

from __future__ import annotations

import time

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import tvm_directconv as directconv

SHAPE, CHANNELS = (1, 32, 40, 40), 32
SECONDS, RUNS_A_SECOND, LAYERS = 8, 6, 3


def network() -> bytes:
    """A chain of convolutions, each with a ReLU."""
    filters = np.random.default_rng(0).standard_normal((CHANNELS, CHANNELS, 3, 3), np.float32)
    nodes = []
    for i in range(LAYERS):
        nodes.append(helper.make_node("Conv", [f"x{i}", "w"], [f"c{i}"], pads=[1] * 4))
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"x{i + 1}"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in ("x0", f"x{LAYERS}")]
    graph = helper.make_graph(nodes, "idle", ends[:1], ends[1:], [numpy_helper.from_array(filters, "w")])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


def main() -> None:
    model, image = directconv.compile(network()), np.ones(SHAPE, np.float32)
    least = min(timed(model, image) for _ in range(50))
    used, end, runs = time.process_time(), time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        model.run(image)
        runs += 1
        time.sleep(1 / RUNS_A_SECOND)
    used = time.process_time() - used
    print(f"a run takes {1e3 * least:.2f} ms; {runs} runs in {SECONDS} s used {used:.2f} s of CPU time")


def timed(model: directconv.CompiledModel, image: np.ndarray) -> float:
    start = time.perf_counter()
    model.run(image)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
