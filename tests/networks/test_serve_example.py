"""The example server under load: nothing is lost, results are their senders', who is wrong is told."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import re
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


@pytest.fixture(scope="module")
def server() -> ModuleType:
    spec = importlib.util.spec_from_file_location("serve_example", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for themselves there
    spec.loader.exec_module(module)
    return module


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
