"""`flylead.Device`, and devices of the harness that record."""

from __future__ import annotations

import asyncio
import hashlib
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import started

import flylead
from flylead import Device, ExportError, Progress, aio

LOG = b"time,value\n0,1\n1,4\n2,9\n3,16\n"


@contextmanager
def answering(folder: Path, *answers: bytes) -> Iterator[str]:
    """A device that answers exports with these replies in turn."""
    words = []
    for number, answer in enumerate(answers):
        path = folder / f"answer{number}"
        path.write_bytes(answer)
        words += ["--answer", str(path)]
    with started("recorder", *words) as address:
        yield address


@contextmanager
def recording(folder: Path, log: bytes = LOG) -> Iterator[str]:
    """A device that sends this log with its checksum."""
    path = folder / "log"
    path.write_bytes(log)
    with started("recorder", "--log", str(path)) as address:
        yield address


def sized(log: bytes, after: bytes = b"\nOK\n") -> bytes:
    return b"SIZE=%d\n" % len(log) + log + after


def test_an_experiment_is_started_stopped_fetched_and_proven(tmp_path: Path) -> None:
    told: list[Progress] = []
    with recording(tmp_path) as address, Device.connect(address) as device:
        assert device.start("run001") == "OK: Recording"
        assert device.stop() == "OK: Stopped"
        saved = device.fetch("run001", tmp_path / "runs", on_progress=told.append)
        again = device.fetch("run001", tmp_path / "runs")
    assert saved.path == tmp_path / "runs/run001/sd/log.csv"
    assert saved.read() == saved.plain() == LOG
    assert (saved.previous, again.previous) == (None, None)
    manifest = saved.manifest
    assert (manifest.run_id, manifest.bytes) == ("run001", len(LOG))
    assert manifest.sha256 == hashlib.sha256(LOG).hexdigest()
    assert (manifest.integrity, manifest.proven, manifest.accepted) == ("crc32", True, [])
    assert told[0] == Progress(0, len(LOG), 0) and told[-1].done == len(LOG)


def test_another_log_of_the_same_run_stays_beside_the_new_one(tmp_path: Path) -> None:
    with answering(tmp_path, sized(LOG), sized(LOG + b"4,25\n")) as address:
        with Device.connect(address) as device:
            first = device.fetch("run001", tmp_path / "runs")
            second = device.fetch("run001", tmp_path / "runs")
    assert not first.manifest.proven and first.manifest.integrity == "length+tail"
    assert second.previous is not None and second.previous.read_bytes() == LOG
    assert second.read() == LOG + b"4,25\n"


@pytest.mark.parametrize(
    "log, after, doubt",
    [
        (LOG, b"\nthat was all\n", "tail"),
        (LOG, b"\nCRC32=00000000\nOK\n", "checksum"),
        (b"t,v\n0,MPY: soft reboot\n", b"", "restart"),
        (b"t,v\n0,1\nERROR 5\n", b"", "last-line"),
    ],
)
def test_a_doubt_is_named_and_accepted(
    tmp_path: Path, log: bytes, after: bytes, doubt: str
) -> None:
    runs = tmp_path / "runs"
    with answering(tmp_path, sized(log, after)) as address, Device.connect(address) as device:
        with pytest.raises(ExportError, match="accepts the log anyway") as raised:
            device.fetch("run001", runs, retries=0)
        assert raised.value.doubts == [doubt] and raised.value.kept is not None
        assert raised.value.kept.read_bytes() == log
        assert not (runs / "run001/sd/log.csv").exists()
        saved = device.fetch("run001", runs, accept=doubt)
    assert (saved.read(), saved.manifest.accepted) == (log, [doubt])
    assert (saved.manifest.integrity, saved.manifest.proven) == ("accepted", False)


def test_a_refusal_and_a_broken_log_say_what_to_do(tmp_path: Path) -> None:
    answers = [b"ERROR: Cannot export while experiment running\r\n", b"SIZE=999999999999\n"]
    with answering(tmp_path, *answers) as address, Device.connect(address) as device:
        with pytest.raises(ExportError, match="send STOP, then request the export again") as raised:
            device.fetch("run001", tmp_path / "runs")
        assert (raised.value.kind, raised.value.retryable) == ("device-error", False)
        with pytest.raises(ExportError) as raised:
            device.fetch("run001", tmp_path / "runs")
        assert (raised.value.kind, raised.value.kept) == ("too-large", None)


def test_a_checksum_may_be_required_and_a_silent_device_has_its_time(tmp_path: Path) -> None:
    with answering(tmp_path, sized(LOG), b"") as address:
        with Device.connect(address, require_checksum=True, silence=0.3) as device:
            with pytest.raises(ExportError) as raised:
                device.fetch("run001", tmp_path / "runs", retries=0)
            assert raised.value.kind == "missing-checksum"
            with pytest.raises(ExportError) as raised:
                device.fetch("run001", tmp_path / "runs", retries=0)
            assert raised.value.kind == "no-header"


def test_a_log_without_a_checksum_may_be_asked_for_twice(tmp_path: Path) -> None:
    with answering(tmp_path, sized(LOG)) as address, Device.connect(address) as device:
        saved = device.fetch("run001", tmp_path / "runs", verify_twice=True)
    assert saved.manifest.integrity == "twice"


def test_words_that_are_no_run_and_no_doubt_are_refused_at_once(tmp_path: Path) -> None:
    with recording(tmp_path) as address, Device.connect(address) as device:
        for run in ("", "../other", "run1\nSTOP"):
            with pytest.raises(ValueError):
                device.start(run)
        with pytest.raises(ValueError, match="error, late, header, restart"):
            device.fetch("run001", tmp_path, accept=["everything"])
        device.listen(0.05, on_line=print)
    device.close()
    with pytest.raises(flylead.BoardClosed):
        device.stop()


def test_a_device_that_goes_away_is_lost(tmp_path: Path) -> None:
    with recording(tmp_path) as address:
        device = Device.connect(address)
    with pytest.raises((flylead.LinkLost, flylead.BoardClosed), match="again"):
        device.fetch("run001", tmp_path / "runs")
    device.close()


def test_a_log_becomes_a_table(tmp_path: Path) -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    log = b"# by a logger\ntime;value;state\n0;1,5;ok\n1;-2;ok, slow\n"
    with recording(tmp_path, log) as address, Device.connect(address) as device:
        saved = device.fetch("run001", tmp_path / "runs")
    frame = saved.to_pandas(index_col="time")
    assert isinstance(frame, pandas.DataFrame)
    assert frame["value"].tolist() == [1.5, -2.0] and frame["state"][1] == "ok, slow"
    table = saved.to_arrow()
    assert isinstance(table, arrow.Table)
    expected = {"time": [0, 1], "value": [1.5, -2.0], "state": ["ok", "ok, slow"]}
    assert table.to_pydict() == expected


def test_the_same_for_asyncio(tmp_path: Path) -> None:
    async def main(address: str) -> None:
        async with aio.Device.connect(address) as device:
            assert await device.start("run001") == "OK: Recording"
            await device.listen(0.05)
            assert await device.stop() == "OK: Stopped"
            told: list[Progress] = []
            saved = await device.fetch("run001", tmp_path / "runs", on_progress=told.append)
            assert saved.manifest.proven and saved.read() == LOG and told
            with pytest.raises(ValueError):
                await device.fetch("..", tmp_path)

    with recording(tmp_path) as address:
        asyncio.run(asyncio.wait_for(main(address), 120))


def test_a_cancelled_fetch_leaves_nothing_and_the_next_one_goes_on(tmp_path: Path) -> None:
    async def main(address: str) -> None:
        async with aio.Device.connect(address) as device:
            begun = asyncio.Event()
            fetching = device.fetch("run001", tmp_path / "runs", on_progress=lambda _: begun.set())
            task = asyncio.ensure_future(fetching)
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await device.fetch("run001", tmp_path / "runs")).read() == LOG
            names = sorted(path.name for path in (tmp_path / "runs/run001/sd").iterdir())
            assert names == ["log.csv", "manifest.json"]

    with answering(tmp_path, b"SIZE=1000\ntime,value\n", sized(LOG)) as address:
        asyncio.run(asyncio.wait_for(main(address), 120))


def test_close_ends_what_another_thread_listens_for(tmp_path: Path) -> None:
    ended: queue.Queue[object] = queue.Queue()
    with recording(tmp_path) as address:
        device = Device.connect(address)

        def listen() -> None:
            try:
                ended.put(device.listen(3600))
            except flylead.FlyleadError as error:
                ended.put(error)

        threading.Thread(target=listen).start()
        device.close()
        assert isinstance(ended.get(timeout=120), flylead.BoardClosed)
