"""The example server under load: nothing is lost, results are their senders', who is wrong is told."""

from __future__ import annotations

import asyncio
import importlib
import json
import pickle
import re
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

import httpx
import numpy as np
import pytest
from graph_support import draw, network, node
from serve_support import FOLDER, INFER, answered, request

import tvm_directconv as directconv

SHAPE = (3, 8, 8)


@pytest.fixture(scope="module")
def server() -> Iterator[ModuleType]:
    """The example's modules import each other by their plain names, as when one of them is run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield importlib.import_module("server")
        for name in ("server", "batching", "connections", "protocol"):
            del sys.modules[name]


@pytest.fixture(scope="module")
def model() -> directconv.CompiledModel:
    nodes = [node("Conv", "x w", "a"), node("Relu", "a", "y")]
    graph = network(nodes, {"x": ("n", *SHAPE)}, {"y": ("n", 4, 6, 6)}, {"w": draw(4, 3, 3, 3)})
    model = directconv.compile(graph)
    model.concurrency = 2
    return model


IMAGE = np.arange(3 * 8 * 8, dtype=np.float32).reshape(1, *SHAPE)


def binary(size: object, rest: bytes = IMAGE.tobytes()) -> bytes:
    """Return one of JSON and bytes behind it, which says that it has so many of them."""
    entry = {"name": "x", "shape": [1, *SHAPE], "datatype": "FP32", "parameters": {"binary_data_size": size}}
    return json.dumps({"inputs": [entry]}).encode() + rest


def of_json(body: bytes) -> dict[str, str]:
    return {"Inference-Header-Content-Length": str(body.rindex(b"}") + 1)}


NOT_REQUESTS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "not JSON"),
    "half of one": (request(IMAGE)[:100], "not JSON"),
    "a list": (b"[]", "not a JSON object"),
    "deep lists": (b"[" * 100000, "not JSON"),
    "text": ("Zürich ☃".encode(), "not JSON"),
    "a pickle": (pickle.dumps({"inputs": []}), "not JSON"),
    "no inputs": (b"{}", "input 'x' is missing: the model takes x"),
    "inputs that are none": (b'{"inputs": 3}', "'inputs' is not a list"),
    "another input": (request(IMAGE, name="y\n" * 500), "is unknown: the model takes x"),
    "an input twice": (b'{"inputs": [%b, %b]}' % ((request(IMAGE)[12:-2],) * 2), "given twice"),
    "another output": (request(IMAGE)[:-1] + b', "outputs": [{"name": "z"}]}', "does not have an output 'z'"),
    "no shape": (request(IMAGE, shape=None), "shape None is not a list of sizes"),
    "a negative shape": (request(IMAGE, shape=[-1, 3, 8, 8]), "is not a list of sizes"),
    "a shape of floats": (request(IMAGE, shape=[1.0, 3, 8, 8]), "is not a list of sizes"),
    "an absurd shape": (request(IMAGE, shape=[10**30, 3, 8, 8]), "192 numbers, where its shape has"),
    "another shape": (request(IMAGE[..., :7]), r"float32\[1, 3, 8, 7\], not float32\[-1, 3, 8, 8\]"),
    "an absurd shape of nothing": (request(IMAGE, shape=[0, 10**30], data=[]), "is too large"),
    "no rows": (request(IMAGE[:0]), "0"),
    "another dtype": (request(IMAGE, datatype="FP64"), "float64"),
    "no dtype": (request(IMAGE, datatype="q9"), "datatype 'q9' is not supported"),
    "strings": (request(IMAGE, datatype="BYTES", data=["a"] * 192), "'BYTES' is not supported"),
    "data that are strings": (request(IMAGE, data=["1"] * 192), "not numbers of float32"),
    "data that are nothing": (request(IMAGE, data=None), "numbers"),
    "ragged data": (request(IMAGE, data=[[1, 2], [3]]), "not of the same length"),
    "too few": (request(IMAGE, data=[1.0]), "1 numbers, where its shape has 192"),
    "bytes that are missing": (binary(768, IMAGE.tobytes()[1:]), "768 bytes of 767"),
    "bytes behind": (binary(768, IMAGE.tobytes() + b"}"), "not JSON"),
    "a size that is none": (binary("768"), "'768' bytes of 768"),
}  # fmt: skip
"""What is refused, and with what words."""


@asynccontextmanager
async def client(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client,
    ):
        yield client


def run(app: Any, use: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
    async def within() -> None:
        async with client(app) as opened:
            await use(opened)

    asyncio.run(asyncio.wait_for(within(), 60))


def counts(text: str, name: str, label: str) -> dict[str, int]:
    return {key: int(n) for key, n in re.findall(rf'{name}{{{label}="(\d+)"}} (\d+)', text)}


def test_every_request_gets_its_own_result(server: ModuleType, model: directconv.CompiledModel) -> None:
    """Requests of several rows each; and batches are of as many rows as have come, which is up to 6."""
    images = [draw(1 + seed % 3, *SHAPE, seed=seed) for seed in range(150)]
    rows = sum(len(image) for image in images)

    async def use(opened: httpx.AsyncClient) -> None:
        answers = await asyncio.gather(*(opened.post(INFER, content=request(image)) for image in images))
        for image, answer in zip(images, answers, strict=True):
            np.testing.assert_allclose(answered(answer.content), model.run(image)[0], atol=1e-6)
        metrics = (await opened.get("/metrics")).text
        assert counts(metrics, "requests_total", "status") == {"200": 150}
        batches = counts(metrics, "batches_total", "size")
        assert sum(int(size) * n for size, n in batches.items()) == rows
        assert sum(batches.values()) < 75 and max(map(int, batches)) <= 6
        assert "waiting 0" in metrics

    run(server.make_app(model, rows=6, most_waiting=200), use)


@pytest.fixture(scope="module")
def of_any_size() -> directconv.CompiledModel:
    """Return the sum of two inputs along an open width, and an output without a batch."""
    nodes = [node("Add", "x z", "y"), node("ReduceSum", "x", "total", keepdims=0)]
    shape = ("n", 2, "w")
    return directconv.compile(
        network(nodes, {"x": shape, "z": shape}, {"y": shape, "total": ()}), typical={"n": 1, "w": 8}
    )


def test_other_models_run_one_request_at_a_time(
    server: ModuleType, of_any_size: directconv.CompiledModel
) -> None:
    async def use(opened: httpx.AsyncClient) -> None:
        described = (await opened.get("/v2/models/model/versions/1")).json()
        assert [each["shape"] for each in described["outputs"]] == [[-1, 2, -1], []]
        bodies = []
        for width in range(1, 9):
            array = draw(2, 2, width, seed=width)
            (x,) = json.loads(request(array))["inputs"]
            bodies.append((array, {"inputs": [x | {"name": "z"}, x], "id": f"{width}"}))
        answers = await asyncio.gather(*(opened.post(INFER, json=body) for _, body in bodies))
        for (array, body), answer in zip(bodies, answers, strict=True):
            y, total = answer.json()["outputs"]
            np.testing.assert_allclose(np.reshape(y["data"], y["shape"]), 2 * array, rtol=1e-6)
            np.testing.assert_allclose(total["data"], [array.sum()], rtol=1e-4)
            assert total["shape"] == [] and answer.json()["id"] == body["id"]

    run(server.make_app(of_any_size), use)


@pytest.mark.parametrize("whole", [False, True])
def test_tensors_as_bytes(whole: bool, server: ModuleType, model: directconv.CompiledModel) -> None:
    """One output is asked for as bytes, or all are."""
    array = draw(2, *SHAPE)
    asked = {"parameters": {"binary_data_output": True}} if whole else {"outputs": [
        {"name": "y", "parameters": {"binary_data": True}}]}  # fmt: skip
    (x,) = json.loads(request(array, parameters={"binary_data_size": array.nbytes}))["inputs"]
    del x["data"]
    text = json.dumps({"inputs": [x], **asked}).encode()

    async def use(opened: httpx.AsyncClient) -> None:
        header = {"Inference-Header-Content-Length": str(len(text))}
        answer = await opened.post(INFER, content=text + array.tobytes(), headers=header)
        length = int(answer.headers["Inference-Header-Content-Length"])
        (output,) = json.loads(answer.content[:length])["outputs"]
        assert output["parameters"] == {"binary_data_size": len(answer.content) - length}
        got = np.frombuffer(answer.content[length:], np.float32).reshape(output["shape"])
        np.testing.assert_allclose(got, model.run(array)[0], atol=1e-6)

    run(server.make_app(model), use)


def test_wrong_requests_are_refused(server: ModuleType, model: directconv.CompiledModel) -> None:
    """Each gets 400 and one line, is counted, and leaves others alone."""

    async def use(opened: httpx.AsyncClient) -> None:
        for name, (body, said) in NOT_REQUESTS.items():
            header = of_json(body) if b"binary_data_size" in body else {}
            answer = await opened.post(INFER, content=body, headers=header)
            error = answer.json()["error"]
            assert answer.status_code == 400 and re.search(said, error), (name, answer.text)
            assert len(error) < 300 and "\n" not in error, (name, error)
        for value in ("x", "-1", "99999999", "²"):
            header = {"Inference-Header-Content-Length": value.encode()}
            assert (await opened.post(INFER, content=request(IMAGE), headers=header)).status_code == 400
        assert (await opened.post(INFER, content=request(IMAGE))).status_code == 200
        counted = counts((await opened.get("/metrics")).text, "requests_total", "status")
        assert counted == {"200": 1, "400": len(NOT_REQUESTS) + 4}

    run(server.make_app(model), use)


def test_other_paths_and_bodies_are_refused(server: ModuleType, model: directconv.CompiledModel) -> None:
    async def use(opened: httpx.AsyncClient) -> None:
        assert (await opened.get("/v2/models/other")).status_code == 404
        assert (await opened.get("/v2/models/model/versions/2/ready")).status_code == 404
        assert (await opened.post("/v2/models/other/infer", content=request(IMAGE))).status_code == 404
        assert (await opened.get(INFER)).status_code == 405
        assert (await opened.post(INFER, content=bytes(5001))).status_code == 413
        packed = await opened.post(INFER, content=b"", headers={"Content-Encoding": "gzip"})
        assert packed.status_code == 415
        assert (await opened.get("/v2/models/model/ready")).json() == {"name": "model", "ready": True}

    run(server.make_app(model, largest=5000), use)


def test_errors_of_a_run_are_answered_and_counted(
    server: ModuleType, model: directconv.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: Any, *_: Any) -> None:
        raise RuntimeError("this run fails")

    monkeypatch.setattr(directconv.CompiledModel, "submit", failing)

    async def use(opened: httpx.AsyncClient) -> None:
        answer = await opened.post(INFER, content=request(IMAGE))
        assert (answer.status_code, answer.json()) == (500, {"error": "this run fails"})
        assert counts((await opened.get("/metrics")).text, "requests_total", "status") == {"500": 1}

    run(server.make_app(model), use)


def test_a_body_that_does_not_come_is_waited_for_so_long(
    server: ModuleType, model: directconv.CompiledModel
) -> None:
    async def slow() -> AsyncIterator[bytes]:
        yield b"\x93NUMPY"
        await asyncio.sleep(60)

    async def use(opened: httpx.AsyncClient) -> None:
        answer = await opened.post(INFER, content=slow())
        assert answer.status_code == 408 and answer.headers["connection"] == "close"
        assert counts((await opened.get("/metrics")).text, "requests_total", "status") == {"408": 1}

    run(server.make_app(model, patience=0.1), use)


def test_who_comes_while_too_many_wait_is_sent_away(
    server: ModuleType, model: directconv.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, held = request(IMAGE), asyncio.Event()
    run_batch = server.Batcher.run

    async def slowly(self: Any, batch: list[Any]) -> None:
        await held.wait()
        await run_batch(self, batch)

    monkeypatch.setattr(server.Batcher, "run", slowly)

    async def use(opened: httpx.AsyncClient) -> None:
        posts = [asyncio.create_task(opened.post(INFER, content=image)) for _ in range(40)]
        refused = [await post for post in posts if (await asyncio.wait({post}, timeout=0.1))[0]]
        held.set()
        answers = await asyncio.gather(*posts)
        assert len(answers) == 40
        away = [answer for answer in answers if answer.status_code == 503]
        assert away == refused and all(answer.headers["retry-after"] == "1" for answer in away)
        served = sum(answer.status_code == 200 for answer in answers)
        assert served == 40 - len(away) and 5 <= served <= 2 * 4 + 5  # those that wait, and two batches

    run(server.make_app(model, most_waiting=5), use)


def test_who_stands_in_line_is_answered(server: ModuleType, model: directconv.CompiledModel) -> None:
    """The system has let clients in, and the server is told to end before it has seen one of them."""
    app = server.make_app(model)
    ending = server.server_of(app, "127.0.0.1", 0, 60, 60, 60)
    image = request(IMAGE)
    head = f"POST {INFER} HTTP/1.1\r\nHost: here\r\nContent-Length: {len(image)}\r\n\r\n"

    async def within() -> list[socket.socket]:
        ending.config.load()
        ending.lifespan = ending.config.lifespan_class(ending.config)
        await ending.startup()
        address = ending.servers[0].sockets[0].getsockname()
        clients = [socket.create_connection(address, timeout=60) for _ in range(32)]
        for client in clients:
            client.sendall(head.encode() + image)
        await ending.shutdown()
        return clients

    for client in asyncio.run(asyncio.wait_for(within(), 120)):
        with client:
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
