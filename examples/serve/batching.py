"""Requests that come within a short time of each other run as one batch, of as many rows as there are.

A model batches where all its inputs and outputs begin with the same open dimension; others run one request
at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from protocol import Refused, fixed, words

import tvm_directconv as directconv

Arrays = dict[str, np.ndarray]


class Metrics:
    """What has happened since the start, for Prometheus."""

    def __init__(self, waiting: Callable[[], float]) -> None:
        self.registry = CollectorRegistry()
        self.answers = Counter("requests", "Answers by HTTP status", ["status"], registry=self.registry)
        self.batches = Counter("batches", "Batches by their rows", ["size"], registry=self.registry)
        self.seconds = Histogram("request_seconds", "From request to answer", registry=self.registry)
        Gauge("waiting", "Requests that wait", registry=self.registry).set_function(waiting)


@dataclass
class Waiting:
    """Inputs whose results somebody waits for."""

    inputs: Arrays
    result: asyncio.Future[Arrays]

    @property
    def rows(self) -> int:
        return next(iter(self.inputs.values())).shape[0]

    @property
    def alike(self) -> tuple[tuple[int, ...], ...]:
        """The shapes behind the batch: requests that have the same may run together."""
        return tuple(array.shape[1:] for array in self.inputs.values())


class Full(Exception):
    """Too many requests wait."""


class Batcher:
    """Collects requests for up to ``window`` seconds, or as many as have ``rows`` rows, and runs them."""

    def __init__(self, model: directconv.CompiledModel, rows: int, window: float, most_waiting: int) -> None:
        self.model, self.window, self.most_waiting = model, window, most_waiting
        first = {tuple(info.shape[:1]) for info in (*model.inputs, *model.outputs)}
        self.batches = len(first) == 1 and all(size and not isinstance(size[0], int) for size in first)
        self.rows = rows if self.batches else 1
        self.waiting: deque[Waiting] = deque()
        self.arrived = asyncio.Condition()
        self.metrics = Metrics(lambda: len(self.waiting))

    async def answer(self, inputs: Arrays) -> Arrays:
        """Return the results of one request. Raises Full where too many wait, Refused for other tensors than
        the model's."""
        entry = Waiting(self.checked(inputs), asyncio.get_running_loop().create_future())
        if len(self.waiting) >= self.most_waiting:
            raise Full
        self.waiting.append(entry)
        async with self.arrived:
            self.arrived.notify()
        return await entry.result

    def checked(self, inputs: Arrays) -> Arrays:
        """Return inputs in the model's order, if their names, dtypes and fixed sizes are its own."""
        unknown = [name for name in inputs if name not in self.model.input_names]
        missing = [name for name in self.model.input_names if name not in inputs]
        if unknown or missing:
            given = f"input {words(unknown[0])} is unknown" if unknown else f"input '{missing[0]}' is missing"
            raise Refused(f"{given}: the model takes {', '.join(self.model.input_names)}")
        for info in self.model.inputs:
            array, shape = inputs[info.name], [fixed(size) for size in info.shape]
            fits = len(shape) == array.ndim and all(
                size in (-1, got) for size, got in zip(shape, array.shape, strict=True)
            )
            if not fits or str(array.dtype) != info.dtype:
                raise Refused(
                    f"input '{info.name}' is {array.dtype}{list(array.shape)}, not {info.dtype}{shape}"
                )
        return {name: inputs[name] for name in self.model.input_names}

    async def work(self) -> None:
        """Run batches, one after the other; there are as many of these as runs at a time."""
        while True:
            async with self.arrived:
                await self.arrived.wait_for(lambda: self.waiting)
            batch: list[Waiting] = []
            try:
                if self.batches and sum(entry.rows for entry in self.waiting) < self.rows:
                    await asyncio.sleep(self.window)
                batch = self.taken()
                if batch:
                    await self.run(batch)
            except asyncio.CancelledError:
                self.let_go(batch)
                raise

    def taken(self) -> list[Waiting]:
        """Take the first that waits, and those behind it that may run with it."""
        batch: list[Waiting] = []
        rows = 0
        for entry in list(self.waiting):
            if batch and (entry.alike != batch[0].alike or rows + entry.rows > self.rows):
                continue
            batch.append(entry)
            self.waiting.remove(entry)
            if not self.batches:
                break
            rows += entry.rows
        return batch

    def let_go(self, batch: list[Waiting]) -> None:
        """Leave requests, and all that wait, without a result: the server ends."""
        for entry in (*batch, *self.waiting):
            entry.result.cancel()
        self.waiting.clear()

    async def run(self, batch: list[Waiting]) -> None:
        """Run requests as one batch, and give each its rows."""
        inputs = batch[0].inputs
        if len(batch) > 1:
            inputs = {name: np.concatenate([entry.inputs[name] for entry in batch]) for name in inputs}
        self.metrics.batches.labels(sum(entry.rows for entry in batch) if self.batches else 1).inc()
        try:
            outputs = await asyncio.wrap_future(self.model.submit(inputs))
        except Exception as error:  # each who waits for it is told
            for entry in batch:
                if not entry.result.done():
                    entry.result.set_exception(error)
            return
        results, begin = dict(zip(self.model.output_names, outputs, strict=True)), 0
        for entry in batch:
            if not self.batches:
                mine = results
            else:
                mine = {name: array[begin : begin + entry.rows] for name, array in results.items()}
                begin += entry.rows
            if not entry.result.done():  # nobody waits who has hung up
                entry.result.set_result(mine)
