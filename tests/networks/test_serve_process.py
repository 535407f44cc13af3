"""The example server as its first lines say it is started: a process, asked over the network, and ended."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import onnx
import pytest
from graph_support import draw, network, node
from serve_support import FOLDER, INFER, answered, request

import tvm_directconv as directconv

SHAPE = (3, 96, 96)
CLIENTS, REQUESTS, WAITING = 16, 160, 4


@contextmanager
def serving(path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server of a model, which runs, and its address."""
    command = [sys.executable, str(FOLDER / "server.py"), str(path), "--port", "0", *options]
    environment = {**os.environ, "TVM_NUM_THREADS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stderr is not None
            printed = ""
            while (running := re.search(r"running on (http://\S+)", printed)) is None:
                line = process.stderr.readline()
                assert line, f"the server does not start:\n{printed}"
                printed += line
            transport = httpx.HTTPTransport(retries=10)  # several processes listen only when they are there
            with httpx.Client(transport=transport, timeout=60) as client:
                assert client.get(f"{running[1]}/v2/health/ready").json() == {"ready": True}
            yield process, running[1]
        finally:
            process.kill()


def small_network(path: Path) -> None:
    graph = network([node("Relu", "x", "y")], {"x": (1, 3, 8, 8)}, {"y": (1, 3, 8, 8)})
    onnx.save(graph, path)


def connected(address: str, count: int, said: bytes = b"") -> list[socket.socket]:
    host, port = address.removeprefix("http://").split(":")
    clients = [socket.create_connection((host, int(port)), timeout=60) for _ in range(count)]
    for client in clients:
        client.sendall(said)
    return clients


def heard(client: socket.socket) -> bytes:
    """All that the server says until it closes the connection, which it has to do in time."""
    with client:
        parts = iter(lambda: client.recv(1 << 16), b"")
        try:
            return b"".join(parts)
        except ConnectionResetError:
            return b"reset"


HEAD = b"POST /v2/models/model/infer HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n"


@pytest.mark.slow
def test_nobody_holds_the_server(tmp_path: Path) -> None:
    """Clients that say nothing, half a head, half a body or a body without end; and the server ends in
    spite of them."""
    small_network(tmp_path / "model.onnx")
    with serving(tmp_path / "model.onnx", "--patience", "1") as (process, address):
        silent = connected(address, 60) + connected(address, 60, HEAD[:30])
        half = connected(address, 20, HEAD % 1000 + b"half")
        image = request(np.ones((1, 3, 8, 8), np.float32))
        assert httpx.post(f"{address}{INFER}", content=image, timeout=60).status_code == 200
        assert {heard(client) for client in silent} <= {b"", b"reset"}
        assert {heard(client).split(b" ")[1] for client in half} == {b"408"}
        held = connected(address, 20) + connected(address, 20, HEAD[:30]) + connected(address, 20, HEAD % 9)
        assert httpx.get(f"{address}/v2/health/ready", timeout=60).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM)
        for client in held:
            client.close()


@pytest.mark.slow
def test_a_large_body_is_answered(tmp_path: Path) -> None:
    """It is sent as a whole before anything is read, as many clients do."""
    small_network(tmp_path / "model.onnx")
    large = 65 << 20
    with serving(tmp_path / "model.onnx", "--patience", "60") as (_, address):
        for close in (b"", b"Connection: close\r\n"):
            (client,) = connected(
                address, 1, HEAD.replace(b"\r\n", b"\r\n" + close, 1) % large + bytes(large)
            )
            assert client.recv(100).startswith(b"HTTP/1.1 413 ")
            client.close()


@pytest.mark.slow
def test_who_is_connected_is_answered(tmp_path: Path) -> None:
    """The requests of some come before the server is told to end, those of others after it has begun to."""
    small_network(tmp_path / "model.onnx")
    body = request(np.ones((1, 3, 8, 8), np.float32))
    asked = HEAD % len(body) + body
    with serving(tmp_path / "model.onnx", "--waiting", "1000", "--linger", "100") as (process, address):
        later = connected(address, 32)
        assert httpx.get(f"{address}/v2/health/ready", timeout=60).status_code == 200
        first = connected(address, 32, asked)
        process.send_signal(signal.SIGTERM)
        with pytest.raises(ConnectionRefusedError):
            for _ in range(600):
                later += connected(address, 1)
                time.sleep(0.1)
        for client in later:
            client.sendall(asked)
        answers = Counter(heard(client)[:12] for client in first + later)
        assert answers == {b"HTTP/1.1 200": len(first + later)}
        assert process.wait(60) in (0, -signal.SIGTERM)


@pytest.mark.slow
def test_clients_of_a_process_lose_nothing(tmp_path: Path) -> None:
    nodes = [node("Conv", "x w", "a"), node("Relu", "a", "b"), node("Conv", "b v", "y")]
    weights = {"w": draw(32, 3, 3, 3), "v": draw(4, 32, 3, 3)}
    graph = network(nodes, {"x": ("n", *SHAPE)}, {"y": ("n", 4, 92, 92)}, weights)
    onnx.save(graph, tmp_path / "model.onnx")
    images = [draw(1, *SHAPE, seed=seed) for seed in range(8)]
    model = directconv.compile(graph)
    wanted = [model.run(image)[0] for image in images]

    async def load(address: str, process: subprocess.Popen[str]) -> Counter[int]:
        answers: Counter[int] = Counter()
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:

            async def one_client(first: int) -> None:
                for number in range(first, REQUESTS, CLIENTS):
                    answer = await client.post(INFER, content=request(images[number % 8]))
                    answers[answer.status_code] += 1
                    if answer.status_code == 200:
                        got = answered(answer.content)
                        np.testing.assert_allclose(got, wanted[number % 8], atol=1e-4)
                    else:
                        assert answer.headers["retry-after"] == "1"

            await asyncio.gather(*map(one_client, range(CLIENTS)))
            for body in (b"", b"no request", request(images[0][:, :, :9])):
                assert (await client.post(INFER, content=body)).status_code == 400
            assert (await client.get(INFER)).status_code == 405
            text = (await client.get("/metrics")).text
            counted = {int(s): int(n) for s, n in re.findall(r'requests_total{status="(\d+)"} (\d+)', text)}
            assert counted == answers | {400: 3} and "waiting 0" in text
            # Who has been heard when the server is told to end still gets an answer.
            last = asyncio.create_task(client.post(INFER, content=request(images[1])))
            while (
                "waiting" in text and f'status="200"}} {answers[200] + 1}.0' not in text and not last.done()
            ):
                text = (await client.get("/metrics")).text
            process.send_signal(signal.SIGTERM)
            assert (await last).status_code == 200
        return answers

    options = ("--batch", "4", "--concurrency", "2", "--waiting", str(WAITING), "--window", "0.001")
    with serving(tmp_path / "model.onnx", *options) as (process, address):
        answers = asyncio.run(asyncio.wait_for(load(address, process), 60))
        assert sum(answers.values()) == REQUESTS and answers.keys() <= {200, 503} and answers[200] > WAITING
        assert process.wait(15) in (0, -signal.SIGTERM)
        assert process.stderr is not None and "Application shutdown complete" in process.stderr.read()


@pytest.mark.slow
def test_workers_serve_the_protocols_clients(tmp_path: Path) -> None:
    """Triton's client talks to a server of two processes, and gets what the model gives."""
    client_of = pytest.importorskip("tritonclient.http")
    small_network(tmp_path / "model.onnx")
    array = draw(1, 3, 8, 8)
    with serving(tmp_path / "model.onnx", "--workers", "2") as (process, address):
        client = client_of.InferenceServerClient(address.removeprefix("http://"), concurrency=4)
        assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("model")
        assert not client.is_model_ready("other")
        assert client.get_model_metadata("model")["inputs"][0]["shape"] == [1, 3, 8, 8]
        given = client_of.InferInput("x", [1, 3, 8, 8], "FP32")
        for as_bytes in (False, True):
            given.set_data_from_numpy(array, binary_data=as_bytes)
            wanted = [client_of.InferRequestedOutput("y", binary_data=as_bytes)]
            answers = [client.async_infer("model", [given], outputs=wanted) for _ in range(20)]
            for answer in answers:
                np.testing.assert_array_equal(answer.get_result().as_numpy("y"), np.maximum(array, 0))
        given.set_data_from_numpy(array)
        with pytest.raises(Exception, match="does not have an output 'z'"):
            client.infer("model", [given], outputs=[client_of.InferRequestedOutput("z")])
        client.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM)
