// The board in the page, through the package's own API, in a page that is cross-origin isolated and in one that is not.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./browser.js";

for (const [kind, where] of [
  ["isolated", "an isolated page"],
  ["plain", "a plain page"],
]) {
  test(`${where}'s board runs programs, keeps its variables and names the failing line`, async (t) => {
    const page = await openPage(t, kind);
    const seen = await page.evaluate(async () => {
      const link = await flylead.openBrowserBoard(options);
      const board = flylead.Board.attach(link);
      const first = await board.exec("x = 6");
      const second = await board.exec("print(x * 7)");
      const error = await refusal(board.exec("print('so far')\ndef f():\n  1/0\nf()"));
      const long = await board.exec("s = '" + "é".repeat(3000) + "'\nprint(len(s))");
      await board.close();
      const locked = link.readable.locked || link.writable.locked;
      await link.close();
      return { framed: link.framed, isolated: link.isolated, first, second, error, long: long.stdout, locked };
    });
    assert.equal(seen.framed, true);
    assert.equal(seen.isolated, kind === "isolated");
    assert.equal(seen.first.stdout, "");
    assert.equal(seen.second.stdout, "42\n");
    assert.equal(seen.error.name, "ProgramError");
    assert.equal(seen.error.message, "ZeroDivisionError: divide by zero");
    assert.equal(seen.error.stdout, "so far\n");
    assert.deepEqual(
      seen.error.traceback.frames.map(({ line, function: name }) => [line, name]),
      [
        [4, "<module>"],
        [3, "f"],
      ],
    );
    assert.equal(seen.long, "3000\n");
    assert.equal(seen.locked, false);
  });

  for (const [what, program, keeps] of [
    ["prints without end", "n = 0\nwhile True:\n  n += 1\n  print(n)", true],
    ["sleeps", "import time\nprint('asleep')\ntime.sleep(60)", true],
    ["does nothing without end", "print('busy')\nwhile True: pass", true],
    ["is in C for long", "print('busy')\nmax(range(1 << 30))", false],
    // Sums past 2 ** 30 are objects: without Ctrl-C this is a MemoryError, in a second or two. The plain page ends it sooner.
    ...(kind === "isolated" ? [["comes to the end of its memory in C", "print('busy')\nsum(range(1 << 29))", false]] : []),
  ]) {
    test(`on ${where} Ctrl-C stops a program that ${what}`, async (t) => {
      const page = await openPage(t, kind);
      const seen = await page.evaluate(async (program) => {
        const link = await flylead.openBrowserBoard(options);
        const board = flylead.Board.attach(link);
        await board.exec("kept = 1\nwith open('/kept.txt', 'w') as f: f.write('kept')");
        const run = board.run(program);
        let output = "";
        for await (const text of run) {
          if (output === "") setTimeout(() => board.interrupt(), 50);
          output += text;
        }
        const outcome = await run.done;
        const after = await board.exec(
          "import time\nt = time.ticks_ms()\ntime.sleep_ms(20)\nprint(open('/kept.txt').read(), time.ticks_diff(time.ticks_ms(), t) < 5000)",
        );
        const variable = await refusal(board.exec("kept"));
        await board.leave();
        return { output, outcome, after: after.stdout, variable, restarts: link.restarts, mode: board.mode };
      }, program);
      assert.ok(seen.output.length > 0);
      assert.equal(seen.outcome.kind, "raised");
      assert.equal(seen.outcome.traceback.exception, "KeyboardInterrupt");
      assert.equal(seen.after, "kept True\n");
      const soft = kind === "isolated" && keeps;
      assert.equal(seen.restarts, soft ? 0 : 1);
      assert.equal(seen.variable?.name, soft ? undefined : "ProgramError");
      assert.equal(seen.mode, "normal");
    });
  }

  test(`${where}'s board takes programs in raw-paste mode, long ones, empty ones and one that is taken back`, async (t) => {
    const page = await openPage(t, kind);
    const seen = await page.evaluate(async () => {
      const link = await flylead.openBrowserBoard(options);
      const reader = link.readable.pipeThrough(new TextDecoderStream("latin1")).getReader();
      const writer = link.writable.getWriter();
      let text = "";
      const until = async (end) => {
        while (!text.endsWith(end)) text += (await reader.read()).value;
        const whole = text;
        text = "";
        return whole;
      };
      const send = (text) => writer.write(new TextEncoder().encode(text));
      await until(">>> ");
      await send("\x01");
      await until("exit\r\n>");
      const answers = [];
      for (const program of ["print(6 * 7)\x04", "\x04", "1/0\x04", "print('never", `x = '${"a".repeat(28669)}`]) {
        await send("\x05A\x01");
        answers.push(await until("R\x01\x00\x70"));
        await send(program);
        if (!program.endsWith("\x04")) await (program.length > 28672 ? until("\x01") : undefined);
        if (program.length > 28672) await send("'\nprint(len(x))\x04");
        else if (!program.endsWith("\x04")) await send("\x03");
        answers.push(await until("\x04>"));
      }
      return answers.filter((_, at) => at % 2 === 1);
    });
    assert.deepEqual(seen, [
      "\x0442\n\x04\x04>",
      "\x04\x04\x04>",
      '\x04\x04Traceback (most recent call last):\r\n  File "<stdin>", line 1, in <module>\r\nZeroDivisionError: divide by zero\r\n\x04>',
      "\x04\x04Traceback (most recent call last):\r\nKeyboardInterrupt: \r\n\x04>",
      "\x0428669\n\x04\x04>",
    ]);
  });

  test(`on ${where} a soft reset clears the variables, keeps the files and runs boot.py`, async (t) => {
    const page = await openPage(t, kind);
    const seen = await page.evaluate(async () => {
      const link = await flylead.openBrowserBoard(options);
      const board = flylead.Board.attach(link);
      await board.exec("x = 1\nopen('/boot.py', 'w').write('booted = True')\nimport os\nos.mkdir('/lib')");
      await board.softReset();
      const after = await board.exec("import os\nprint(booted, 'x' in globals(), os.listdir('/lib'))");
      const { exited } = await board.exec("raise SystemExit");
      const again = await board.exec("print('x' in globals())");
      return { after: after.stdout, exited, again: again.stdout, files: [...link.files().keys()] };
    });
    assert.deepEqual(seen, { after: "True False []\n", exited: true, again: "False\n", files: ["/boot.py"] });
  });

  test(`${where}'s board has a prompt of its own to type at`, async (t) => {
    const page = await openPage(t, kind);
    const seen = await page.evaluate(async () => {
      const link = await flylead.openBrowserBoard({ ...options, files: { "/main.py": "print('main ran')" } });
      const board = flylead.Board.attach(link);
      const screen = board.terminal.readable.pipeThrough(new TextDecoderStream()).getReader();
      const keyboard = board.terminal.writable.getWriter();
      let text = "";
      const until = async (end) => {
        while (!text.endsWith(end)) text += (await screen.read()).value;
      };
      await until(">>> ");
      await keyboard.write(new TextEncoder().encode("1 + 41\r"));
      await until("42\n>>> ");
      await keyboard.write(new TextEncoder().encode("\x04"));
      await until("soft reboot\r\nmain ran\n" + text.slice(text.indexOf("\r\nMicroPython"), text.indexOf(">>> ")) + ">>> ");
      await board.close();
      return text;
    });
    assert.match(seen, /^main ran\n\r\nMicroPython v1\.29/);
  });

  for (const main of ["while True: pass", "while True: print('main')"]) {
    test(`${where}'s board leaves "${main}" in main.py for a program of ours`, async (t) => {
      const page = await openPage(t, kind);
      const seen = await page.evaluate(async (main) => {
        const link = await flylead.openBrowserBoard({ ...options, files: { "/main.py": main } });
        const board = flylead.Board.attach(link);
        await sleep(100);
        return (await board.exec("print('ours')")).stdout;
      }, main);
      assert.equal(seen, "ours\n");
    });
  }

  test(`on ${where} Ctrl-C brings the prompt back from an endless loop that was typed there`, async (t) => {
    const page = await openPage(t, kind);
    const text = await page.evaluate(async (isolated) => {
      const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
      const screen = board.terminal.readable.pipeThrough(new TextDecoderStream()).getReader();
      const type = (text) => board.send(text);
      let text = "";
      const until = async (end) => {
        while (!text.endsWith(end)) text += (await screen.read()).value;
      };
      await until(">>> ");
      type("while True: pass\r\r");
      await sleep(200);
      type("\x03");
      await until(`KeyboardInterrupt: ${isolated ? "" : "stopped by restarting the browser's board"}\r\n>>> `);
      type("1+1\r");
      await until("2\n>>> ");
      return text;
    }, kind === "isolated");
    assert.match(text, /while True: pass/);
  });
}

test("on an isolated page Ctrl-C ends an input() that waits", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const link = await flylead.openBrowserBoard(options);
    const board = flylead.Board.attach(link);
    const run = board.run("input('Who? ')");
    for await (const _ of run) board.interrupt();
    const { traceback } = await run.done;
    return { exception: traceback.exception, restarts: link.restarts };
  });
  assert.deepEqual(seen, { exception: "KeyboardInterrupt", restarts: 0 });
});

test("on an isolated page input() waits for what is typed", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const run = board.run("import sys\nname = input('Who? ')\nprint('Hi', name)\nprint(sys.stdin.readline(), sys.platform)");
    let text = "";
    for await (const piece of run) {
      text += piece;
      if (text === "Who? ") board.send("Anna\r");
      if (text.endsWith("Hi Anna\n")) board.send("more\r");
    }
    return { text, outcome: await run.done };
  });
  assert.deepEqual(seen.outcome, { kind: "completed" });
  assert.equal(seen.text, "Who? Anna\r\nHi Anna\nmore\n webassembly\n");
});

test("on an isolated page a program reads letters as they are typed, and looks whether there are any", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const run = board.run(`
import select, sys, time
poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
began = time.ticks_ms()
print(poll.poll(50), time.ticks_diff(time.ticks_ms(), began) >= 50)
print('go')
print(poll.poll()[0][1] == select.POLLIN, repr(sys.stdin.read(1)), repr(sys.stdin.read(4)), repr(sys.stdin.read(1)))
sys.stdout.buffer.write(b'as it is\\n')
print(poll.poll(0))
`);
    let text = "";
    for await (const piece of run) {
      text += piece;
      if (text.endsWith("go\n")) board.send("aé bc\r");
    }
    return { text, outcome: await run.done };
  });
  assert.deepEqual(seen.outcome, { kind: "completed" });
  assert.equal(seen.text, "[] True\ngo\nTrue 'a' 'é bc' '\\n'\nas it is\n[]\n");
});

test("on an isolated page Ctrl-C ends a program that looks for letters", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const link = await flylead.openBrowserBoard(options);
    const board = flylead.Board.attach(link);
    const run = board.run("import select, sys\npoll = select.poll()\npoll.register(sys.stdin)\nprint('on')\nwhile True: poll.poll(1)");
    for await (const _ of run) board.interrupt();
    const { traceback } = await run.done;
    return { exception: traceback.exception, restarts: link.restarts };
  });
  assert.deepEqual(seen, { exception: "KeyboardInterrupt", restarts: 0 });
});

test("on an isolated page Ctrl-C ends a program that waits for bytes, and is one for a program that has it off", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const waiting = board.run("import sys\nprint('on')\nsys.stdin.buffer.readinto(bytearray(3))");
    for await (const _ of waiting) board.interrupt();
    const { traceback } = await waiting.done;
    const reading = board.run(`
import micropython, sys, time
micropython.kbd_intr(-1)
into = bytearray(5)
try:
    sys.stdout.write('go\\n')
    print(sys.stdin.buffer.readinto(into), bytes(into), sys.stdin.buffer.read(1))
finally:
    micropython.kbd_intr(3)
print('off')
while True: time.sleep_ms(20)
`);
    let text = "";
    for await (const piece of reading) {
      text += piece;
      if (text.endsWith("go\n")) board.send(Uint8Array.of(0x61, 0x03, 0x00, 0x03, 0xff, 0x03));
      if (text.endsWith("off\n")) board.interrupt();
    }
    const { traceback: stopped } = await reading.done;
    return { exceptions: [traceback.exception, stopped.exception], text };
  });
  assert.deepEqual(seen.exceptions, ["KeyboardInterrupt", "KeyboardInterrupt"]);
  assert.equal(seen.text, "go\n5 b'a\\x03\\x00\\x03\\xff' b'\\x03'\noff\n");
});

test("on a plain page what would wait for input says why it cannot", async (t) => {
  const page = await openPage(t, "plain");
  const errors = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    return [await refusal(board.exec("input()")), await refusal(board.exec("import sys\nsys.stdin.buffer.read(1)"))];
  });
  for (const { message } of errors) assert.match(message, /^EOFError: .*isolated/);
});

test("a flood of output arrives whole and leaves the page alive", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const run = board.run("for i in range(20000): print('x' * 99)");
    let length = 0;
    for await (const text of run) length += text.length;
    return { length, dropped: run.dropped };
  });
  assert.deepEqual(seen, { length: 2_000_000, dropped: 0 });
});

test("a board whose output nobody reads waits on an isolated page, and can still be interrupted", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const link = await flylead.openBrowserBoard({ ...options, files: { "/main.py": "while True: print('x' * 1000)" } });
    await sleep(500);
    const board = flylead.Board.attach(link, { outputLimit: 100 });
    const { stdout } = await board.exec("print('ours')");
    return { stdout, restarts: link.restarts };
  });
  assert.deepEqual(seen, { stdout: "ours\n", restarts: 0 });
});

test("on an isolated page Ctrl-C is raised by the sleep or the wait that it comes into, and by nothing later", async (t) => {
  const page = await openPage(t, "isolated");
  const waits = ["time.sleep(60)", "time.sleep_ms(60000)", "time.sleep_us(60000000)", "asyncio.run(long())", "sys.stdin.readline()", "sys.stdin.read(1)", "poll.poll()", "input()"];
  const seen = await page.evaluate(async (waits) => {
    const link = await flylead.openBrowserBoard(options);
    const board = flylead.Board.attach(link);
    await board.exec("import asyncio, select, sys, time\npoll = select.poll()\npoll.register(sys.stdin, select.POLLIN)\nasync def long(): await asyncio.sleep(60)\nkept = 'kept'");
    const texts = [];
    for (const wait of waits) {
      const run = board.run(`try:\n  print('on')\n  ${wait}\n  print('next')\nexcept KeyboardInterrupt:\n  print('caught', kept)\nfinally:\n  print('finally')`);
      let text = "";
      for await (const piece of run) {
        if (text === "") setTimeout(() => board.interrupt(), 50);
        text += piece;
      }
      await run.done;
      texts.push(text);
    }
    return { texts, restarts: link.restarts };
  }, waits);
  assert.deepEqual(seen, { texts: waits.map(() => "on\ncaught kept\nfinally\n"), restarts: 0 });
});

const LOOPS = [
  "while True: pass",
  "while True:\n      n += 1",
  "for _ in range(1 << 40): pass",
  "for _ in zeros(): pass",
  "[n for n in zeros() if n]",
  "sum(0 for _ in zeros())",
  "any(zeros())",
  "while True:\n      try: int('x')\n      except ValueError: pass",
  "def f(n): return n and f(n - 1)\n    while True: f(5)",
  "while True: [].sort()",
  "while True:\n      with open('/kept.txt') as file: file.read()",
  "d = {}\n    while True: d[0] = d.get(0, 0) + 1",
  "while True: time.ticks_ms()",
  "while True: time.sleep_ms(1)",
  "while True: time.sleep(0)",
  "while time.time() >= 0: pass",
  "while True: print('x')",
  "async def f():\n      while True: await asyncio.sleep(0)\n    asyncio.run(f())",
  "async def f():\n      while True: pass\n    asyncio.run(f())",
  "while True:\n      with open('/loop.txt', 'w') as f: f.write('x')",
  "while True: re.match('a+b', 'aaaa')",
  "time.sleep(60)",
  "async def f(): await asyncio.sleep(60)\n    asyncio.run(f())",
  "input()",
  "for line in sys.stdin: pass",
  "sys.stdin.buffer.read(1)",
  "poll = select.poll(); poll.register(sys.stdin, select.POLLIN); poll.poll()",
];

test(`on an isolated page Ctrl-C stops each of ${LOOPS.length} kinds of loops and waits where it is: finally runs, variables stay`, async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async (loops) => {
    const link = await flylead.openBrowserBoard(options);
    const board = flylead.Board.attach(link);
    await board.exec("import asyncio, re, select, sys, time\ndef zeros():\n  while True: yield 0\nn = 0\nkept = 0\nopen('/kept.txt', 'w').write('kept')");
    const ends = [];
    for (const loop of loops) {
      const run = board.run(`print('on')\ntry:\n    ${loop}\nfinally:\n    kept += 1`);
      let isOn = false;
      for await (const _ of run) {
        if (!isOn) setTimeout(() => board.interrupt(), 30);
        isOn = true;
      }
      const { traceback } = await run.done;
      ends.push([loop, traceback?.exception]);
    }
    const { stdout } = await board.exec("print(kept)");
    return { ends, kept: stdout, restarts: link.restarts };
  }, LOOPS);
  assert.deepEqual(seen, { ends: LOOPS.map((loop) => [loop, "KeyboardInterrupt"]), kept: `${LOOPS.length}\n`, restarts: 0 });
});

test("on an isolated page a program goes through what is typed line by line", async (t) => {
  const page = await openPage(t, "isolated");
  const text = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const run = board.run("import sys\nprint('go')\nfor line in sys.stdin:\n  print(repr(line))\n  if line == 'end\\n': break");
    let text = "";
    for await (const piece of run) {
      text += piece;
      if (text === "go\n") board.send("one\rend\r");
    }
    await run.done;
    return text;
  });
  assert.equal(text, "go\n'one\\n'\n'end\\n'\n");
});

test("a loop of asyncio runs forever until it is stopped, dir(sys) lists what sys has, and a file may be called __proto__", async (t) => {
  const page = await openPage(t, "isolated");
  const { stdout, names } = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const { stdout } = await board.exec(`
import asyncio, os, sys
async def main():
    loop.stop()
loop = asyncio.get_event_loop()
loop.create_task(main())
loop.run_forever()
loop.close()
print([name for name in ("path", "modules", "version", "exit", "stdin") if name not in dir(sys)])
os.mkdir("/__proto__")
open("/__proto__/__proto__", "w").write("x")
print("__proto__" in os.listdir("/"), os.listdir("/__proto__"), open("/__proto__/__proto__").read())
`);
    const names = (await board.files.list("/__proto__")).map(({ name }) => name);
    await board.close();
    return { stdout, names };
  });
  assert.equal(stdout, "[]\nTrue ['__proto__'] x\n");
  assert.deepEqual(names, ["__proto__"]);
});

test("tasks of asyncio run, wait for each other, are cancelled, time out and fail as on a board", async (t) => {
  const page = await openPage(t, "isolated");
  const { stdout } = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const answer = await board.exec(`
import asyncio
async def count(name):
    for n in range(2):
        print(name, n)
        await asyncio.sleep_ms(20)
    return name
async def fail():
    raise ValueError("mine")
async def main():
    print(await asyncio.gather(count("a"), count("b")))
    try:
        await asyncio.wait_for(count("late"), 0.01)
    except asyncio.TimeoutError:
        print("too late")
    task = asyncio.create_task(count("never"))
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")
    event = asyncio.Event()
    async def set():
        event.set()
    asyncio.create_task(set())
    await event.wait()
    asyncio.create_task(fail())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return "all"
print(asyncio.run(main()))
asyncio.new_event_loop()
print(asyncio.get_event_loop().run_until_complete(count("new")))
try:
    asyncio.run(fail())
except ValueError as error:
    print("raised", error)
`);
    // A board that nobody holds is collected, and its conversation closed.
    await board.close();
    return answer;
  });
  assert.match(stdout, /^a 0\nb 0\na 1\nb 1\n\['a', 'b'\]\nlate 0\ntoo late\ncancelled\nTask exception wasn't retrieved\n(?:.*\n)*?ValueError: mine\nall\nnew 0\nnew 1\nnew\nraised mine\n$/);
});

test("a name that is too long to be listed is refused, and a file that has one since before is listed with the others", async (t) => {
  const page = await openPage(t, "isolated");
  const long = "a".repeat(300);
  const seen = await page.evaluate(async (long) => {
    const link = await flylead.openBrowserBoard({ ...options, files: { [`/${long}`]: "old", "/fine.py": "x = 1" } });
    const board = flylead.Board.attach(link);
    const made = [];
    for (const [how, program] of [["open", `open('/${long}', 'w')`], ["mkdir", `import os\nos.mkdir('/${long}')`], ["rename", `import os\nos.rename('/fine.py', '/${long}')`]]) {
      made.push([how, (await refusal(board.exec(program)))?.message]);
    }
    const listed = (await board.files.list("/")).filter(({ kind }) => kind === "file").map(({ name, size }) => [name.length, size]);
    return { made, listed };
  }, long);
  for (const [how, message] of seen.made) assert.match(message ?? "", /OSError/, how);
  assert.deepEqual(seen.listed.sort(([one], [other]) => one - other), [[7, 5], [255, 3]]);
});

test("a program that allocates or writes without end meets the limits of a board, and the board goes on", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const link = await flylead.openBrowserBoard(options);
    const board = flylead.Board.attach(link);
    const { stdout: free } = await board.exec("import gc, os\nprint(gc.mem_free(), os.statvfs('/')[0] * os.statvfs('/')[2])");
    const full = [];
    for (const step of ["bytearray(4000000)"]) {
      const { stdout } = await board.exec(`import gc\nkept = []\nn = 0\ntry:\n  while True:\n    n += 1\n    kept.append(${step})\nexcept MemoryError:\n  print(gc.mem_alloc())\nkept = None`);
      full.push(Number(stdout));
    }
    const error = await refusal(board.exec("bytearray(1 << 30)"));
    const disk = await board.exec("import os\ntry:\n  with open('/full.bin', 'wb') as f:\n    block = bytes(65536)\n    while True: f.write(block)\nexcept OSError as error:\n  print(error.errno == 51, os.stat('/full.bin')[6])\nprint(os.statvfs('/')[3])\nos.remove('/full.bin')\nopen('/after.txt', 'w').write('room again')\nprint(open('/after.txt').read())").catch(String);
    return { full, error: error?.message, free: free.split(" ").map(Number), disk: disk.stdout ?? disk, restarts: link.restarts };
  });
  for (const bytes of seen.full) assert.ok(bytes > 64e6 && bytes < 320e6, `${seen.full}`);
  assert.match(seen.error, /^MemoryError/);
  assert.ok(seen.free[0] > 4e6 && seen.free[0] < 20e6 && seen.free[1] === 1 << 24, `${seen.free}`);
  assert.equal(seen.restarts, 0);
  assert.match(seen.disk, /^True \d{8}\n0\nroom again\n$/);
});
