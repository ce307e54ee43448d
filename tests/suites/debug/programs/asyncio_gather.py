# microbit: SyntaxError; it is older than this
import asyncio

async def job(n):
    await asyncio.sleep(0)
    m = n * 2
    return m  # stop

async def main():
    print(await asyncio.gather(job(1), job(2)))

asyncio.run(main())
