"""fastmcp, a client that nobody here wrote, whose person is asked: client_board.py FLYLEAD PORT"""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport


async def main(flylead, port):
    asked = []

    async def person(message, response_type, params, context):
        asked.append(message)
        return ElicitResult(action="accept" if "good()" in message else "decline", content={})

    reported = []

    async def tell(progress, total, message):
        reported.append(message)

    async def run(client, code):
        arguments = {"port": port, "code": code}
        result = await client.call_tool("board.exec", arguments, raise_on_error=False, progress_handler=tell)
        return result.structured_content

    transport = StdioTransport(flylead, ["mcp", "--artifacts", "/nowhere", "--allow-port", port])
    async with Client(transport, elicitation_handler=person) as client:
        good = await run(client, "def good(): print('ran')\ngood()")
        assert good["output"] == "ran\n", good
        bad = await run(client, "print('ran')")
        assert bad["error"]["code"] == "declined", bad
        assert len(asked) == 2 and "print('ran')" in asked[1], asked
        await run(client, "import time\ndef good(): print('begun')\ngood()\ntime.sleep(1)")
        assert "begun" in "".join(filter(None, reported)), reported
        print(client.initialize_result.protocolVersion if client.initialize_result else "2026-07-28")
    print("done")


asyncio.run(main(*sys.argv[1:]))
