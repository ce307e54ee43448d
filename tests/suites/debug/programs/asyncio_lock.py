# microbit: SyntaxError; it is older than this
import asyncio

log = []

async def use(lock, n):
    async with lock:
        log.append(n)
        await asyncio.sleep(0)
        log.append(-n)  # stop

async def main():
    lock = asyncio.Lock()
    await asyncio.gather(use(lock, 1), use(lock, 2))

asyncio.run(main())
print(log)
