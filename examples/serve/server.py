"""A server of one network: requests that come within a short time of each other run as one batch.

    pip install 'tvm-directconv[serve]'
    TVM_NUM_THREADS=1 python server.py model.onnx --batch 1,4 --concurrency 2

POST /predict takes the first input of one image as a .npy file, without the batch's dimension or with one of
1, and answers with the first output's .npy. GET /health says whether it runs, GET /metrics counts, in the
format of Prometheus. Who comes while too many wait is sent away with 503; whose input is wrong gets 400, is
larger 413, comes too slowly 408. connections.py has what the server does about clients that say nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import numpy as np
from numpy.lib import format as npy
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import tvm_directconv as directconv

LARGEST_HEADER = 4096
"""A .npy file has at most so many bytes before its numbers."""
LONGEST_WORDS = 100
"""Characters of what a client sent that an answer repeats."""
PATIENCE = 10.0
"""Seconds for a request's body."""
READ_HEADER = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
    (3, 0): npy.read_array_header_2_0,  # differs in names of fields alone
}


@dataclass
class Waiting:
    """An image whose result somebody waits for."""

    image: np.ndarray
    result: asyncio.Future[np.ndarray]


@dataclass
class Metrics:
    """What has happened since the start."""

    answers: Counter[int] = field(default_factory=Counter)
    batches: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0

    def text(self, waiting: int) -> str:
        lines = [f'requests_total{{status="{status}"}} {n}' for status, n in sorted(self.answers.items())]
        lines += [f'batches_total{{size="{size}"}} {n}' for size, n in sorted(self.batches.items())]
        return "\n".join([*lines, f"waiting {waiting}", f"seconds_total {self.seconds:.6f}", ""])


class Batcher:
    """Collects images for up to ``window`` seconds, or as many as the largest batch, and runs them."""

    def __init__(self, model: directconv.CompiledModel, window: float, most_waiting: int) -> None:
        self.model, self.window = model, window
        self.waiting: asyncio.Queue[Waiting] = asyncio.Queue(most_waiting)
        self.metrics = Metrics()
        self.input, self.name = model.sizes[0].inputs[0], model.input_names[0]
        self.sizes = sorted({int(size.inputs[0].shape[0]) for size in model.sizes}, reverse=True)

    async def answer(self, image: np.ndarray) -> np.ndarray:
        """The result of one image. Raises asyncio.QueueFull where too many wait."""
        entry = Waiting(image, asyncio.get_running_loop().create_future())
        self.waiting.put_nowait(entry)
        return await entry.result

    async def work(self) -> None:
        """Run batches, one after the other; there are as many of these as runs at a time."""
        while True:
            batch = [await self.waiting.get()]
            try:
                if self.waiting.qsize() < self.sizes[0] - 1:
                    await asyncio.sleep(self.window)
                while len(batch) < self.sizes[0] and not self.waiting.empty():
                    batch.append(self.waiting.get_nowait())
                await self.run(batch)
            except asyncio.CancelledError:
                self.let_go(batch)
                raise

    def let_go(self, batch: list[Waiting]) -> None:
        """Leave images, and all that wait, without a result: the server ends."""
        while not self.waiting.empty():
            batch.append(self.waiting.get_nowait())
        for entry in batch:
            entry.result.cancel()

    async def run(self, batch: list[Waiting]) -> None:
        """Run images in the largest sizes that they fill; the last, if it must be, with empty ones."""
        while batch:
            size = next((size for size in self.sizes if size <= len(batch)), self.sizes[-1])
            now, batch = batch[:size], batch[size:]
            images = np.zeros((size, *self.input.shape[1:]), self.input.dtype)
            for place, entry in enumerate(now):
                images[place] = entry.image
            self.metrics.batches[len(now)] += 1
            try:
                results = (await asyncio.wrap_future(self.model.submit({self.name: images})))[0]
            except Exception as error:  # each who waits for it is told
                for entry in now:
                    if not entry.result.done():
                        entry.result.set_exception(error)
                continue
            for place, entry in enumerate(now):
                if not entry.result.done():  # nobody waits who has hung up
                    entry.result.set_result(results[place])

    def image_of(self, body: bytes) -> np.ndarray:
        """The image in a .npy file. Raises ValueError for anything else."""
        file, shape = io.BytesIO(body), tuple(self.input.shape[1:])
        try:
            found, by_columns, dtype = READ_HEADER[npy.read_magic(file)](file, max_header_size=LARGEST_HEADER)
        except Exception:  # numpy's parser raises whatever comes up
            raise ValueError("the body is no .npy file of numbers") from None
        if found not in (shape, (1, *shape)) or str(dtype) != self.input.dtype:
            # Names of fields and sizes may be of any length and kind.
            words = f"{dtype}{list(found)}".encode("ascii", "replace").decode()[:LONGEST_WORDS]
            raise ValueError(f"{words} is not {self.input.dtype}{list(shape)}")
        numbers, size = body[file.tell() :], int(np.prod(shape)) * dtype.itemsize
        if len(numbers) != size:
            raise ValueError(f"{len(numbers)} bytes of numbers follow its header, and not {size}")
        return np.frombuffer(numbers, dtype).reshape(found, order="F" if by_columns else "C").reshape(shape)


def make_app(
    model: directconv.CompiledModel,
    window: float = 0.002,
    most_waiting: int = 64,
    patience: float = PATIENCE,
) -> Starlette:
    """The application that serves a model, as many batches at a time as its ``concurrency``."""
    batcher = Batcher(model, window, most_waiting)
    metrics = batcher.metrics
    largest = int(np.prod(batcher.input.shape[1:])) * np.dtype(batcher.input.dtype).itemsize + LARGEST_HEADER

    async def predict(request: Request) -> Response:
        start = time.perf_counter()
        response = await predicted(request)
        metrics.answers[response.status_code] += 1
        metrics.seconds += time.perf_counter() - start
        return response

    async def predicted(request: Request) -> Response:
        body, close = bytearray(), {}

        async def read() -> None:
            """Read all of it, even what is too large: unread bytes would break the connection off."""
            async for chunk in request.stream():
                if len(body) <= largest:
                    body.extend(chunk)

        try:
            await asyncio.wait_for(read(), patience)
        except asyncio.TimeoutError:
            close = {"Connection": "close"}
        except ClientDisconnect:
            return PlainTextResponse("the body ends early", 400)
        if len(body) > largest:
            return PlainTextResponse(f"more than {largest} bytes", 413, close)
        if close:
            return PlainTextResponse(f"the body takes longer than {patience:g} seconds", 408, close)
        try:
            image = batcher.image_of(bytes(body))
        except ValueError as error:
            return PlainTextResponse(f"no image: {error}", 400)
        try:
            result = await batcher.answer(image)
        except asyncio.QueueFull:
            return PlainTextResponse("too many requests wait", 503, {"Retry-After": "1"})
        except Exception as error:
            return PlainTextResponse(str(error), 500)
        content = io.BytesIO()
        np.save(content, result)
        return Response(content.getvalue(), media_type="application/octet-stream")

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok", "input": str(batcher.input), "batches": batcher.sizes})

    async def counted(request: Request) -> Response:
        return PlainTextResponse(metrics.text(batcher.waiting.qsize()))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        workers = [asyncio.create_task(batcher.work()) for _ in range(model.concurrency)]
        try:
            yield
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            batcher.let_go([])

    routes = [
        Route("/predict", predict, methods=["POST"]),
        Route("/health", health),
        Route("/metrics", counted),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def main() -> None:
    from connections import server_of

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", help="file or name of a network, or a library that was compiled")
    parser.add_argument("--batch", help="sizes of batches, as 1,4; the model's own without it")
    parser.add_argument("--concurrency", type=int, default=1, help="batches that run at a time")
    parser.add_argument("--window", type=float, default=0.002, help="seconds in which a batch is collected")
    parser.add_argument("--waiting", type=int, default=64, help="requests that may wait")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds for a head, and for a body")
    parser.add_argument("--linger", type=float, default=2, help="seconds for requests after SIGTERM")
    parser.add_argument("--grace", type=int, default=30, help="seconds for answers after SIGTERM")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    if options.model.endswith((".so", ".dylib", ".dll")):
        model = directconv.load(options.model)
    else:
        batch = None if options.batch is None else tuple(map(int, options.batch.split(",")))
        model = directconv.compile(options.model, batch=batch)
    model.concurrency = options.concurrency
    app = make_app(model, options.window, options.waiting, options.patience)
    server = server_of(app, options.host, options.port, options.patience, options.linger, options.grace)
    with contextlib.suppress(KeyboardInterrupt):
        server.run()


if __name__ == "__main__":
    main()
