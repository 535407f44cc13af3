"""A server of one network by the open inference protocol, version 2 (KServe, Triton's clients), over HTTP.

    pip install 'tvm-directconv[serve]'
    python server.py model.onnx --batch 8 --concurrency 2 --threads 1

GET /v2/models/model tells its inputs and outputs, POST /v2/models/model/infer runs it, GET /v2/health/ready
says whether it can, and GET /metrics counts, in the format of Prometheus. Requests that come within a short
time of each other run as one batch (batching.py). A request is refused with 503 where too many wait, with
400 where its tensors are wrong, 413 where it is too large, 408 where it comes too slowly. connections.py has
what the server does about clients that say nothing. ``--workers`` are processes, which share the port, the
compiled network in the cache, and its weights.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import protocol
import uvicorn
from batching import Batcher, Full
from connections import server_of, settings
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import tvm_directconv as directconv
from tvm_directconv.errors import InputError

PATIENCE = 10.0
"""Seconds for a request's body."""
LARGEST = 64 << 20
"""Bytes of a request's body."""


class Failed(Exception):
    """A request that is answered by a status and a text."""

    def __init__(self, status: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.status, self.headers = status, headers


async def body_of(request: Request, patience: float, largest: int) -> bytes:
    """Return a request's body. Raises Failed where it is too large, too slow, or ends early."""
    body = bytearray()

    async def read() -> None:
        """Read all of it, even what is too large: unread bytes would break the connection off."""
        async for chunk in request.stream():
            if len(body) <= largest:
                body.extend(chunk)

    in_time = True
    try:
        await asyncio.wait_for(read(), patience)
    except asyncio.TimeoutError:
        in_time = False
    except ClientDisconnect:
        raise Failed(400, "the body ends early") from None
    close = {} if in_time else {"Connection": "close"}
    if len(body) > largest:
        raise Failed(413, f"the body has more than {largest} bytes", **close)
    if not in_time:
        raise Failed(408, f"the body takes longer than {patience:g} seconds", **close)
    if request.headers.get("content-encoding", "identity") != "identity":
        raise Failed(415, "compressed bodies are not supported")
    return bytes(body)


def make_app(
    model: directconv.CompiledModel,
    name: str = "model",
    rows: int = 8,
    window: float = 0.002,
    most_waiting: int = 64,
    patience: float = PATIENCE,
    largest: int = LARGEST,
) -> Starlette:
    """Return the application that serves a model, as many batches at a time as its ``concurrency``."""
    batcher = Batcher(model, rows, window, most_waiting)
    metrics = batcher.metrics

    async def infer(request: Request) -> Response:
        with metrics.seconds.time():
            try:
                response = await inferred(request)
            except Failed as error:
                response = JSONResponse({"error": str(error)}, error.status, error.headers)
        metrics.answers.labels(response.status_code).inc()
        return response

    async def inferred(request: Request) -> Response:
        known(request)
        body = await body_of(request, patience, largest)
        try:
            asked = protocol.read(body, request.headers.get(protocol.HEADER), model.output_names)
            results = await batcher.answer(asked.inputs)
        except (protocol.Refused, InputError) as error:
            raise Failed(400, str(error)) from None
        except Full:
            raise Failed(503, "too many requests wait", **{"Retry-After": "1"}) from None
        except Exception as error:
            raise Failed(500, str(error)) from None
        content, headers = protocol.written(name, asked, results)
        return Response(content, headers=headers)

    def known(request: Request) -> None:
        found = request.path_params["model"], request.path_params.get("version", "1")
        if found != (name, "1"):
            raise Failed(404, f"the model '{name}', version 1, is served here, not {protocol.words(found)}")

    def answering(content: Any) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers with this content, about the model if the path names one."""

        async def answer(request: Request) -> Response:
            try:
                if "model" in request.path_params:
                    known(request)
            except Failed as error:
                return JSONResponse({"error": str(error)}, error.status)
            return JSONResponse(content)

        return answer

    async def counted(request: Request) -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

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

    about = {
        "name": "tvm-directconv",
        "version": directconv.__version__,
        "extensions": ["binary_tensor_data"],
    }
    described = protocol.metadata(name, model.inputs, model.outputs)
    routes = [
        Route("/v2", answering(about)),
        Route("/v2/health/live", answering({"live": True})),
        Route("/v2/health/ready", answering({"ready": True})),
        Route("/metrics", counted),
    ]
    for path in ("/v2/models/{model}", "/v2/models/{model}/versions/{version}"):
        routes += [
            Route(path, answering(described)),
            Route(f"{path}/ready", answering({"name": name, "ready": True})),
            Route(f"{path}/infer", infer, methods=["POST"]),
        ]
    return Starlette(routes=routes, lifespan=lifespan)


def load(given: argparse.Namespace) -> directconv.CompiledModel:
    """Return the model that the command line names."""
    if given.model.endswith((".so", ".dylib", ".dll")):
        return directconv.load(given.model, threads=given.threads)
    sizes = dict(each.split("=") for each in given.typical.split(",") if each)
    typical = {name: int(size) for name, size in sizes.items()} or None
    return directconv.compile(given.model, typical=typical, threads=given.threads)


def options() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", help="file or name of a network, or a library that was compiled")
    parser.add_argument("--name", help="what the model is called; the file's without it")
    parser.add_argument("--typical", default="", help="typical sizes of open dimensions, as h=224,w=224")
    parser.add_argument("--batch", type=int, default=8, help="rows that run together at most")
    parser.add_argument("--concurrency", type=int, default=1, help="batches that run at a time")
    parser.add_argument("--threads", type=int, help="threads of a run; TVM_NUM_THREADS without it")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--window", type=float, default=0.002, help="seconds in which a batch is collected")
    parser.add_argument("--waiting", type=int, default=64, help="requests that may wait")
    parser.add_argument("--largest", type=int, default=LARGEST, help="bytes of a request")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds for a head, and for a body")
    parser.add_argument("--linger", type=float, default=2, help="seconds for requests after SIGTERM")
    parser.add_argument("--grace", type=int, default=30, help="seconds for answers after SIGTERM")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    return parser.parse_args()


def application() -> Starlette:
    """Return the application that the command line asks for; each process calls this."""
    given = options()
    model = load(given)
    model.concurrency = given.concurrency
    name = given.name or Path(given.model).stem
    return make_app(model, name, given.batch, given.window, given.waiting, given.patience, given.largest)


def main() -> None:
    given = options()
    with contextlib.suppress(KeyboardInterrupt):
        if given.workers == 1:
            server_of(application(), given.host, given.port, given.patience, given.linger, given.grace).run()
        else:
            load(given)  # so that every process finds it in the cache
            uvicorn.run(
                "server:application",
                factory=True,
                host=given.host,
                port=given.port,
                workers=given.workers,
                **settings(given.patience, given.grace),
            )


if __name__ == "__main__":
    main()
