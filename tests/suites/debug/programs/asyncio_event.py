# microbit: SyntaxError; it is older than this
import asyncio

async def waiter(event, name):
    await event.wait()
    text = 'woken ' + name
    print(text)  # stop

async def main():
    event = asyncio.Event()
    task = asyncio.create_task(waiter(event, 'a'))
    await asyncio.sleep(0)
    event.set()
    await task

asyncio.run(main())
