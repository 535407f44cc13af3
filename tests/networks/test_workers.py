"""Processes of their own: what may happen in one is said in words, and none is left behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tvm_directconv.measure import workers
from tvm_directconv.measure.workers import Failure, Worker

BYTES_ALLOWED = 1 << 30
SOON_SECONDS = 60.0


class Doing:
    """What a worker may do."""

    def __init__(self, deed: str = "") -> None:
        self.count = 0
        if deed:
            getattr(self, deed)()

    def add(self, number: int = 1) -> tuple[int, int]:
        self.count += number
        return self.count, os.getpid()

    def die(self, number: int = signal.SIGILL) -> None:
        os.kill(os.getpid(), number)

    def leave(self) -> None:
        os._exit(3)

    def ask_to_leave(self) -> None:
        sys.exit("no more")

    def throw(self) -> None:
        raise ValueError("first line\nsecond line")

    def answer_with_what_cannot_be_sent(self) -> object:
        return lambda: None

    def hang(self) -> None:
        time.sleep(1000)

    def eat(self) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES_ALLOWED, BYTES_ALLOWED))
        bytearray(2 * BYTES_ALLOWED)

    def start_another(self) -> int:
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]).pid

    def spin(self) -> None:
        import threading

        def turn() -> None:
            while True:
                pass

        threading.Thread(target=turn, daemon=True).start()


@pytest.fixture
def worker(tmp_path: Path):
    made = Worker(tmp_path, Doing)
    yield made
    made.close()


def gone(process: int) -> bool:
    """Whether a process has ended, or will soon; one that waits to be collected has."""
    end = time.monotonic() + SOON_SECONDS
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_an_object_lives_in_a_process_of_its_own(worker: Worker, tmp_path: Path) -> None:
    (first, process), (second, same) = worker.ask("adding", "add", 2), worker.ask("adding", "add")
    assert (first, second) == (2, 3) and process == same != os.getpid()
    worker.close()
    assert gone(process)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deed", "said", "lives"),
    [
        ("die", "crashes: ended by SIGILL while trying", False),
        ("leave", "crashes: ended with exit code 3 while trying", False),
        ("ask_to_leave", "SystemExit: no more", True),
        ("throw", "ValueError: first line", True),
        ("eat", "MemoryError: ", True),
        ("none such", "AttributeError: 'Doing' object has no attribute 'none such'", True),
    ],
)
def test_what_happens_is_said(worker: Worker, deed: str, said: str, lives: bool) -> None:
    _, process = worker.ask("adding", "add")
    with pytest.raises(Failure) as caught:
        worker.ask("trying", deed)
    assert str(caught.value) == said
    # Whatever happened, the next question is answered: where it ended, by a new object.
    count, after = worker.ask("adding", "add")
    assert (after == process, count) == ((True, 2) if lives else (False, 1))


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGKILL, "SIGKILL, as where memory runs out,"), (signal.SIGRTMIN + 3, "signal 37")],
)
def test_signals_are_named(worker: Worker, number: int, said: str) -> None:
    with pytest.raises(Failure, match=f"ended by {said} while trying"):
        worker.ask("trying", "die", int(number))


def test_answers_that_cannot_be_sent(worker: Worker) -> None:
    with pytest.raises(Failure, match="pickle"):
        worker.ask("trying", "answer_with_what_cannot_be_sent")


def test_hanging_is_ended(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    _, process = worker.ask("adding", "add")
    monkeypatch.setattr(workers, "PATIENCE_SECONDS", 0.2)
    with pytest.raises(Failure, match=r"^hangs: trying took more than 0\.2 s$"):
        worker.ask("trying", "hang")
    assert gone(process)


@pytest.mark.parametrize(
    ("deed", "said"),
    [("die", "crashes: ended by SIGILL while starting"), ("throw", "ValueError: first line")],
)
def test_objects_that_cannot_be_made(tmp_path: Path, deed: str, said: str) -> None:
    made = Worker(tmp_path, Doing, deed)
    for _ in range(2):
        with pytest.raises(Failure, match=f"^{said}$"):
            made.ask("adding", "add")
    made.close()


def test_between_questions_nothing_runs(worker: Worker) -> None:
    _, process = worker.ask("adding", "add")
    worker.ask("trying", "spin")

    def ticks() -> int:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    time.sleep(0.05)
    before = ticks()
    time.sleep(0.2)
    assert ticks() == before
    assert worker.ask("adding", "add")[1] == process


def test_what_it_started_ends_with_it(worker: Worker) -> None:
    started = worker.ask("trying", "start_another")
    worker.close()
    assert gone(started)


OWNER = """
import os, signal, sys
sys.path[:] = {path!r}
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background, shells have it ignored
from pathlib import Path
from test_workers import Doing
from tvm_directconv.measure.workers import Worker
made = Worker(Path({folder!r}), Doing), Worker(Path({folder!r}), Doing)
try:
    print(*(worker.ask("adding", "add")[1] for worker in made), flush=True)
    made[0].ask("trying", "hang")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_owner(tmp_path: Path, number: signal.Signals) -> None:
    """One is busy then, the other stopped."""
    code = OWNER.format(path=sys.path, folder=str(tmp_path))
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    processes = [int(word) for word in owner.stdout.readline().split()]
    assert len(processes) == 2
    # From the terminal, the owner alone would get it, too: workers have sessions of their own.
    assert all(os.getsid(process) == process for process in processes)
    time.sleep(0.2)
    owner.send_signal(number)
    output, _ = owner.communicate(timeout=SOON_SECONDS)
    assert owner.returncode == (0 if number == signal.SIGINT else -number)
    assert ("interrupted" in output) == (number == signal.SIGINT)
    assert all(map(gone, processes))


def test_temporary_files_go_where_they_are_cleared_away(tmp_path: Path) -> None:
    import tempfile

    made = Worker(tmp_path, tempfile.NamedTemporaryFile)
    with pytest.raises(Failure):
        made.ask("trying", "nothing")
    assert len(list(tmp_path.iterdir())) == 1
    made.close()
