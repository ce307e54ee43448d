# microbit: SyntaxError; it is older than this
import asyncio

async def forever():
    turns = 0
    try:
        while True:
            turns += 1
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        state = 'cancelled'
        print(state)  # stop
        raise

async def main():
    task = asyncio.create_task(forever())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        word = 'gone'
        print(word)  # stop

asyncio.run(main())
