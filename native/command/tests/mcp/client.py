"""fastmcp, a client that nobody here wrote, against `flylead mcp`: client.py FLYLEAD PORT FOLDER [URL TOKEN]"""

import asyncio
import hashlib
import pathlib
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from device import LOG

DOTTED = [
    "serial.list_ports", "serial.write", "serial.wait_for", "serial.request_export", "monitor_read_next",
    "serial.status", "serial.cancel", "board.exec", "board.reset", "board.list_files", "board.read_file",
    "board.write_file", "board.mkdir", "board.remove", "board.sync", "board.install",
]


async def call(client, tool, raises=False, **arguments):
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    assert result.is_error == raises, (tool, result)
    return result.structured_content


async def until_over(client, export_id):
    for _ in range(100):
        status = await call(client, "monitor_read_next", export_id=export_id, wait_ms=2000)
        if status["state"] not in ("waiting_header", "receiving", "verifying"):
            return status
        assert status["hint"] == "monitor_read_next", status
    raise AssertionError(status)


async def check(client, port, folder):
    tools = await client.list_tools()
    assert [tool.name for tool in tools] == DOTTED, tools
    assert all(tool.output_schema for tool in tools)

    # The document's own sequence, with its own names and shapes.
    written = await call(client, "serial.write", port=port, baud=115200, data="START run_id=run001")
    assert written == {"ok": True, "bytes_written": 20, "hint": "monitor_read_next"}, written
    read = await call(client, "monitor_read_next", port=port, wait_ms=5000)
    assert read["lines"] == ["OK: Recording"] and read["untrusted"], read
    # Underscores, and a number as text, are taken too.
    written = await call(client, "serial_write", port=port, baud="115200", data="STOP\n")
    assert written["bytes_written"] == 5, written
    asked = await call(client, "serial.request_export", run_id="run001", port=port, baud=115200)
    assert asked["ok"] and asked["hint"] == "monitor_read_next", asked
    done = await until_over(client, asked["export_id"])
    assert done["state"] == "done" and done["integrity"] == "crc32", done
    assert done["path"] == asked["expected_path"] and done["log"]["rows"] == 2000, done
    resources = await client.list_resources()
    assert [str(resource.uri) for resource in resources] == [done["resource"]], resources
    contents = await client.read_resource(done["resource"])
    assert contents[0].text.encode() == LOG
    assert pathlib.Path(done["path"]).read_bytes() == LOG
    assert done["sha256"] == hashlib.sha256(LOG).hexdigest()

    # One long call, for those who want it.
    done = await call(client, "serial.request_export", run_id="run002", port=port, collect=True)
    assert done["state"] == "done", done

    # The device's own no is an answer with a code, at once.
    asked = await call(client, "serial.request_export", run_id="missing", port=port)
    failed = await until_over(client, asked["export_id"])
    assert failed["state"] == "failed" and failed["error"]["code"] == "device_error", failed
    assert not failed["error"]["retryable"] and failed["hint"] == "check_device", failed

    # A second export is refused while one is under way; cancelling frees the port.
    asked = await call(client, "serial.request_export", run_id="silent", port=port)
    busy = await call(client, "serial.request_export", raises=True, run_id="run003", port=port)
    assert busy["error"]["code"] == "busy" and asked["export_id"] in busy["error"]["message"], busy
    cancelled = await call(client, "serial.cancel", port=port)
    assert cancelled["state"] == "cancelled", cancelled
    written = await call(client, "serial.write", port=port, data="STOP")
    assert written["ok"], written

    await check_progress(client, port)

    # Without a checksum a log can be asked for twice; and a change of speed is reported.
    done = await call(client, "serial.request_export", run_id="plain", port=port, baud=9600, collect=True, verify_twice=True)
    assert done["state"] == "done" and done["integrity"] == "twice", done
    written = await call(client, "serial.write", port=port, data="STOP")
    assert "115200" in written["warning"], written
    # Binary data, and text that is not ASCII.
    written = await call(client, "serial.write", port=port, data={"base64": "U1RPUAo="})
    assert written["bytes_written"] == 5 and "warning" not in written, written
    written = await call(client, "serial.write", port=port, data="é", append_newline=False)
    assert written["bytes_written"] == 2 and "ASCII" in written["warning"], written
    await call(client, "serial.write", raises=True, port=port, data="x" * 5000)
    await call(client, "serial.write", port=port, data="")

    await check_refusals(client, port, folder)


async def check_progress(client, port):
    reported = []

    async def tell(progress, total, message):
        reported.append((progress, total))

    arguments = {"run_id": "slow", "port": port, "collect": True, "baud": 115200}
    result = await client.call_tool("serial.request_export", arguments, progress_handler=tell)
    assert result.structured_content["state"] == "done", result
    assert len(reported) >= 2, reported
    assert reported == sorted(reported) and {total for _, total in reported} == {65536.0}, reported
    print(f"{len(reported)} notifications of progress")


async def check_refusals(client, port, folder):
    before = sorted(str(path) for path in folder.rglob("*"))
    hostile = ["", ".", "..", "../x", "a/b", "a\\b", "-rf", ".git", "a..b", "a.", "CON", "nul.txt", "x" * 65,
               "a\nSTOP", "a\r\nSTOP", "a b", "a\0b", "~", "$HOME", "a;b", "é", "a\u202eb"]
    hostile += [f"run{chr(code)}1" for code in range(33, 127) if not chr(code).isalnum() and chr(code) not in "._-"]
    hostile += [f"{'../' * depth}etc/passwd" for depth in range(1, 60)]
    hostile += [f"{stem}{suffix}" for stem in ("con", "PRN", "aux", "NUL", "com1", "LPT9")
                for suffix in ("", ".csv", ".a.b", ".txt", ".x", ".log", ".1", ".z", ".q", ".w")]
    hostile += [f"/{'a' * length}" for length in range(1, 40)]
    assert len(hostile) >= 200, len(hostile)
    for run_id in hostile:
        answer = await call(client, "serial.request_export", raises=True, run_id=run_id, port=port)
        assert answer["error"]["code"] == "bad_argument", (run_id, answer)
    ports = ["/etc/passwd", "/dev/null", "/dev/../etc/passwd", "process:id", "tcp://127.0.0.1:22", "", "auto", "-"]
    ports += [f"{port}/../{number}" for number in range(46)] + [f"/tmp/nothing{number}" for number in range(46)]
    assert len(ports) >= 100
    for name in ports:
        for tool, arguments in (("serial.write", {"data": "STOP"}), ("board.exec", {"code": "1"})):
            answer = await call(client, tool, raises=True, port=name, **arguments)
            assert answer["error"]["code"] == "port_refused", (name, answer)
    answer = await call(client, "serial.write", raises=True, port=port, data="STOP", baud=12345)
    assert answer["error"]["code"] == "bad_argument", answer
    assert before == sorted(str(path) for path in folder.rglob("*")), "something was made"
    print(f"{len(hostile)} hostile run ids and {len(ports)} hostile ports refused")


async def main(flylead, port, folder, url=None, token=None):
    if url:
        transport = StreamableHttpTransport(url, headers={"Authorization": f"Bearer {token}"})
    else:
        arguments = ["mcp", "--allow-port", port, "--artifacts", folder]
        transport = StdioTransport(flylead, arguments)
    async with Client(transport) as client:
        await check(client, port, pathlib.Path(folder))
    if not url:
        transport = StdioTransport(flylead, ["mcp", "--tool-names", "underscore"])
        async with Client(transport) as client:
            names = [tool.name for tool in await client.list_tools()]
            assert names == [name.replace(".", "_") for name in DOTTED], names
            assert (await call(client, "serial.list_ports"))["ok"]
    print("done")


asyncio.run(main(*sys.argv[1:]))
