"""The example server under load: nothing is lost, results are their senders', who is wrong is told."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import pickle
import re
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import numpy as np
import pytest
from graph_support import draw, network, node

import tvm_directconv as directconv

FILE = Path(__file__).parents[2] / "examples" / "serve" / "server.py"
SHAPE = (3, 8, 8)


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"serve_example_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for themselves there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def server() -> ModuleType:
    return loaded(FILE)


@pytest.fixture(scope="module")
def model() -> directconv.CompiledModel:
    nodes = [node("Conv", "x w", "a"), node("Relu", "a", "y")]
    graph = network(nodes, {"x": ("n", *SHAPE)}, {"y": ("n", 4, 6, 6)}, {"w": draw(4, 3, 3, 3)})
    model = directconv.compile(graph, batch=(1, 4))
    model.concurrency = 2
    return model


def npy(array: np.ndarray) -> bytes:
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def npz(array: np.ndarray) -> bytes:
    content = io.BytesIO()
    np.savez(content, array)
    return content.getvalue()


def with_header(header: bytes, numbers: bytes = b"", version: int = 1, length: int | None = None) -> bytes:
    """A .npy file that has this header and says that it is so long."""
    said = (len(header) if length is None else length).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + said + header + numbers


def of_version(version: tuple[int, int], array: np.ndarray) -> bytes:
    content = io.BytesIO()
    np.lib.format.write_array(content, array, version)
    return content.getvalue()


UNPICKLED: list[int] = []


class Mark:
    """What is unpickled by mistake says so."""

    def __reduce__(self) -> Any:
        return _unpickle, ()


def _unpickle() -> None:
    UNPICKLED.append(1)


IMAGE = np.arange(3 * 8 * 8, dtype=np.float32).reshape(SHAPE)
FIELDS = b"{'descr': '%b', 'fortran_order': False, 'shape': %b, }\n"
NUMBERS = bytes(IMAGE.nbytes)
NOT_IMAGES: dict[str, bytes] = {
    "npz": npz(IMAGE),
    "an empty zip": b"PK\x05\x06" + bytes(18),
    "half a zip": npz(IMAGE)[:100],
    "a zip of noise": b"PK\x03\x04" + bytes(range(256)),
    "a pickle": pickle.dumps(Mark()),
    "objects": npy(np.array([Mark()], object)),
    "objects that say they fit": with_header(FIELDS % (b"|O", b"(3, 8, 8)"), pickle.dumps(Mark())),
    "an absurd shape": with_header(FIELDS % (b"<f4", b"(99999999999, 99999999999)")),
    "a negative shape": with_header(FIELDS % (b"<f4", b"(-3, 8, -8)"), NUMBERS),
    "a shape of floats": with_header(FIELDS % (b"<f4", b"(3.0, 8, 8)"), NUMBERS),
    "a shape of a thousand digits": with_header(FIELDS % (b"<f4", b"(%b,)" % (b"9" * 1000))),
    "a shape that is none": with_header(FIELDS % (b"<f4", b"None")),
    "no such type": with_header(FIELDS % (b"<q9", b"(3, 8, 8)"), NUMBERS),
    "fields": npy(np.zeros(3, [("a", "f4"), ("b", "i4")])),
    "a field that is no character": with_header(
        b"{'descr': [('\\ud800', '<f4')], 'fortran_order': False, 'shape': (3,)}"
    ),
    "an unclosed header": with_header(b"{'descr': '<f4', 'shape': (3, 8, 8"),
    "an unclosed text": with_header(b"{'descr': '<f4"),
    "a header that is no dictionary": with_header(b"[1, 2]"),
    "a header that calls": with_header(b"__import__('os').getpid()"),
    "a deep header": with_header(b"(" * 3000),
    "many signs": with_header(b"-" * 3000 + b"1"),
    "a header of null bytes": with_header(bytes(64)),
    "a header that is no text": with_header(b"\xff\xfe" * 20, version=3),
    "a header longer than the file": with_header(FIELDS % (b"<f4", b"(3, 8, 8)"), NUMBERS, length=60000),
    "a header of 4 GB": with_header(FIELDS % (b"<f4", b"(3, 8, 8)"), version=2, length=0xFFFFFFFF),
    "a version that is not yet there": b"\x93NUMPY\x09\x00" + npy(IMAGE)[8:],
    "other byte order": npy(IMAGE.astype(">f4")),
    "no numbers": npy(np.zeros((0, *SHAPE), np.float32)),
    "several images": npy(np.zeros((2, *SHAPE), np.float32)),
    "numbers missing": npy(IMAGE)[:-1],
    "bytes behind": npy(IMAGE) + b"\0",
    "text": "Zürich ☃".encode(),
}
IMAGES: dict[str, bytes] = {
    "by columns": npy(np.asfortranarray(IMAGE)),
    "with the batch's dimension": npy(np.asfortranarray(IMAGE[None])),
    "version 2": of_version((2, 0), IMAGE),
    "version 3": of_version((3, 0), IMAGE),
}


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
    images = [draw(*SHAPE, seed=seed) for seed in range(150)]
    wanted = [model.run(image[None])[0][0] for image in images]

    async def use(opened: httpx.AsyncClient) -> None:
        answers = await asyncio.gather(*(opened.post("/predict", content=npy(image)) for image in images))
        assert {answer.status_code for answer in answers} == {200}
        for answer, want in zip(answers, wanted, strict=True):
            np.testing.assert_allclose(np.load(io.BytesIO(answer.content)), want, atol=1e-6)
        assert (await opened.get("/health")).json()["status"] == "ok"
        metrics = (await opened.get("/metrics")).text
        assert counts(metrics, "requests_total", "status") == {"200": 150}
        batches = counts(metrics, "batches_total", "size")
        assert sum(int(size) * n for size, n in batches.items()) == 150
        assert batches["4"] > 20  # most ran together
        assert "waiting 0" in metrics

    run(server.make_app(model, most_waiting=200), use)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "no image"),
        (b"\x93NUMPY but cut short", 400, "no image"),
        (npy(np.zeros((3, 8, 7), np.float32)), 400, r"float32\[3, 8, 7\] is not float32\[3, 8, 8\]"),
        (npy(np.zeros(SHAPE)), 400, "float64"),
        (npy(np.array([{}], dtype=object)), 400, "no image"),
        (npy(np.zeros((64, 64, 64), np.float32)), 413, "more than"),
    ],
)
def test_what_is_no_image_is_refused(
    body: bytes, status: int, said: str, server: ModuleType, model: directconv.CompiledModel
) -> None:
    async def use(opened: httpx.AsyncClient) -> None:
        answer = await opened.post("/predict", content=body)
        assert answer.status_code == status and re.search(said, answer.text), answer.text
        good = await opened.post("/predict", content=npy(np.zeros((1, *SHAPE), np.float32)))
        assert good.status_code == 200

    run(server.make_app(model), use)


def test_no_body_is_an_error_of_the_servers(server: ModuleType, model: directconv.CompiledModel) -> None:
    """What is no image gets 400 and one line, is counted, and nothing in it is run."""

    async def use(opened: httpx.AsyncClient) -> None:
        for name, body in NOT_IMAGES.items():
            answer = await opened.post("/predict", content=body)
            assert answer.status_code == 400 and answer.text.startswith("no image: "), (name, answer.text)
            assert len(answer.text) < 200 and "\n" not in answer.text, (name, answer.text)
        (want,) = model.run(IMAGE[None])
        for name, body in IMAGES.items():
            answer = await opened.post("/predict", content=body)
            assert answer.status_code == 200, (name, answer.text)
            np.testing.assert_allclose(np.load(io.BytesIO(answer.content)), want[0], rtol=1e-6)
        counted = counts((await opened.get("/metrics")).text, "requests_total", "status")
        assert counted == {"200": len(IMAGES), "400": len(NOT_IMAGES)}
        assert UNPICKLED == []

    run(server.make_app(model), use)


def test_errors_of_a_run_are_answered_and_counted(
    server: ModuleType, model: directconv.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: Any, *_: Any) -> None:
        raise RuntimeError("this run fails")

    monkeypatch.setattr(directconv.CompiledModel, "submit", failing)

    async def use(opened: httpx.AsyncClient) -> None:
        answer = await opened.post("/predict", content=npy(IMAGE))
        assert (answer.status_code, answer.text) == (500, "this run fails")
        assert counts((await opened.get("/metrics")).text, "requests_total", "status") == {"500": 1}

    run(server.make_app(model), use)


def test_a_body_that_does_not_come_is_waited_for_so_long(
    server: ModuleType, model: directconv.CompiledModel
) -> None:
    async def slow() -> AsyncIterator[bytes]:
        yield b"\x93NUMPY"
        await asyncio.sleep(60)

    async def use(opened: httpx.AsyncClient) -> None:
        answer = await opened.post("/predict", content=slow())
        assert answer.status_code == 408 and answer.headers["connection"] == "close"
        assert counts((await opened.get("/metrics")).text, "requests_total", "status") == {"408": 1}

    run(server.make_app(model, patience=0.1), use)


def test_who_comes_while_too_many_wait_is_sent_away(
    server: ModuleType, model: directconv.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, held = npy(draw(*SHAPE)), asyncio.Event()
    run_batch = server.Batcher.run

    async def slowly(self: Any, batch: list[Any]) -> None:
        await held.wait()
        await run_batch(self, batch)

    monkeypatch.setattr(server.Batcher, "run", slowly)

    async def use(opened: httpx.AsyncClient) -> None:
        posts = [asyncio.create_task(opened.post("/predict", content=image)) for _ in range(40)]
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
    ending = loaded(FILE.with_name("connections.py")).server_of(app, "127.0.0.1", 0, 60, 60, 60)
    image = npy(IMAGE)
    request = b"POST /predict HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n" % len(image) + image

    async def within() -> list[socket.socket]:
        ending.config.load()
        ending.lifespan = ending.config.lifespan_class(ending.config)
        await ending.startup()
        address = ending.servers[0].sockets[0].getsockname()
        clients = [socket.create_connection(address, timeout=60) for _ in range(32)]
        for client in clients:
            client.sendall(request)
        await ending.shutdown()
        return clients

    for client in asyncio.run(asyncio.wait_for(within(), 120)):
        with client:
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
