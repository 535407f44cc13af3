"""Run a data set through a network on all cores of a machine, or of a cluster, by Ray Data.

    pip install tvm-directconv 'ray[data]'
    python predict.py model.onnx images.npy results/ --workers 2

The network is compiled once by the process that starts this, into the cache that ``--cache`` names; actors,
one for each core, map its weights from there, so that a machine holds one copy of them. For several machines
the cache is a folder that all of them see, or each compiles once for itself. Ray reads blocks of the data set
no faster than actors take them, replaces an actor that is lost, and gives another its batch anew.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import ray


class Predictor:
    """An actor that has the compiled network, and runs one batch after the other on one core."""

    def __init__(self, model: str) -> None:
        import tvm_directconv as directconv

        self.model = directconv.compile(model)

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the first output of the images in a batch, beside their numbers in the data set."""
        (scores, *_) = self.model.run(np.ascontiguousarray(batch["image"], np.float32))
        return {"number": batch["number"], "scores": scores.reshape(len(scores), -1)}


def read(rows: dict[str, np.ndarray], images: str) -> dict[str, np.ndarray]:
    """Return the images of these numbers, read from the file where they are asked for."""
    return {"number": rows["id"], "image": np.load(images, mmap_mode="r")[rows["id"]]}


def predictions(model: str, images: str, workers: int, batch: int) -> ray.data.Dataset:
    """Return the data set of scores: [count, c, h, w] images of a .npy file through a network whose batch is
    open."""
    count = len(np.load(images, mmap_mode="r"))
    numbers = ray.data.range(count, override_num_blocks=max(workers, -(-count // (8 * batch))))
    found = numbers.map_batches(read, batch_size=batch, fn_kwargs={"images": images})
    return found.map_batches(
        Predictor,
        fn_constructor_args=(model,),
        batch_size=batch,
        compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=1,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", help="file of a network with an open batch")
    parser.add_argument("images", help="a .npy file of float32 images, one after the other")
    parser.add_argument("results", type=Path, help="folder for files of Parquet")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="actors, one for a core")
    parser.add_argument("--batch", type=int, default=16, help="images that run together")
    parser.add_argument("--cache", help="folder of compiled networks; the user's own without it")
    parser.add_argument("--address", help="of a cluster; without it, this machine alone")
    options = parser.parse_args()
    environment = {"TVM_NUM_THREADS": "1"}
    if options.cache is not None:
        environment["TVM_DIRECTCONV_CACHE_DIR"] = str(Path(options.cache).resolve())
    os.environ.update(environment)
    model, images = (str(Path(path).resolve()) for path in (options.model, options.images))
    Predictor(model)  # compiled once, before many processes ask for it
    # A CPU more than actors, for the tasks that read and write; a cluster has to leave one.
    cpus = None if options.address else options.workers + 1
    ray.init(options.address, runtime_env={"env_vars": environment}, num_cpus=cpus)
    start = time.perf_counter()
    predictions(model, images, options.workers, options.batch).write_parquet(str(options.results.resolve()))
    count, seconds = len(np.load(images, mmap_mode="r")), time.perf_counter() - start
    print(f"{count} images in {seconds:.1f} s: {count / seconds:.0f} a second, {options.workers} actors")


if __name__ == "__main__":
    main()
