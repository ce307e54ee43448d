// A folder of the browser on a real MicroPython, and on the board in the page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./browser.js";
import { startBoard } from "./real-board.js";

/** A page with a folder of the browser's own file system, and helpers to look into it. */
async function openFolder(t) {
  const page = await openPage(t, "isolated");
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    globalThis.folder = await root.getDirectoryHandle("project", { create: true });
    globalThis.put = async (path, text) => {
      const names = path.split("/");
      let parent = folder;
      for (const name of names.slice(0, -1)) parent = await parent.getDirectoryHandle(name, { create: true });
      const file = await (await parent.getFileHandle(names.at(-1), { create: true })).createWritable();
      await file.write(text);
      await file.close();
    };
    globalThis.get = async (path) => {
      const names = path.split("/");
      let parent = folder;
      for (const name of names.slice(0, -1)) parent = await parent.getDirectoryHandle(name);
      return (await (await parent.getFileHandle(names.at(-1))).getFile()).text();
    };
    await put("answer.py", "value = 42\n");
    await put("pack/__init__.py", "from .inner import twice\n");
    await put("pack/inner.py", "def twice(n):\n    return 2 * n\n");
    await put("data.bin", new Uint8Array(70_000).map((_, index) => index));
  });
  return page;
}

/** Exercises the folder from programs on the board; equal for every board. */
async function useFolder(link) {
  const news = [];
  const mounted = await flylead.mountFolder(link, folder, { onNews: ({ kind }) => news.push(kind) });
  const board = flylead.Board.attach(mounted);
  const exec = async (source) => (await board.exec(source)).stdout.replaceAll("\r\n", "\n").trim();
  const raised = async (source) => (await refusal(board.exec(source)))?.message;
  const seen = {
    label: mounted.label,
    here: await exec("import os; print(os.getcwd())"),
    imported: await exec("import answer, pack; print(answer.value, pack.twice(4))"),
    listed: await exec("print(sorted(os.listdir()), os.stat('data.bin')[6])"),
    read: await exec("data = open('data.bin', 'rb').read(); print(len(data), data[69999], sum(data))"),
    afterSeek: await exec("f = open('data.bin', 'rb'); f.seek(50000); print(f.read(3)); f.close()"),
    written: await exec("f = open('new.txt', 'w'); print(f.write('α' * 3000)); f.close()\nwith open('new.txt', 'a') as f: print(f.write('end'))"),
    moved: await exec("os.rename('new.txt', 'moved.txt'); os.mkdir('made'); os.rename('pack', 'made/pack'); print(sorted(os.listdir('made')))"),
    missing: await raised("open('none.txt')"),
    outside: await raised("open('/remote/../../etc/passwd')"),
    folder: await raised("open('made', 'rb')"),
    notEmpty: await raised("os.rmdir('made')"),
    removed: await exec("os.remove('data.bin'); print('data.bin' in os.listdir())"),
    gone: await raised("os.remove('data.bin')"),
  };
  await put("answer.py", "value = 43\n");
  await board.softReset();
  seen.again = await exec("import answer; print(answer.value)");
  seen.news = news;
  await board.close();
  await mounted.close();
  const bare = flylead.Board.attach(link);
  seen.unmounted = (await bare.exec("import os; print('remote' in os.listdir('/'))")).stdout.trim();
  await bare.close();
  seen.onDisk = [await get("moved.txt"), await get("made/pack/inner.py")].map((text) => text.length);
  return seen;
}

/**
 * Counts and records the board's questions while it imports modules that import others; equal for
 * every board. `expected` is {@link QUESTIONS}.
 */
async function countQuestions(link, expected) {
  await put("main.py", "import first\nfrom parts import twice\nprint(twice(first.value))\n");
  await put("first.py", "import second\nvalue = second.value\n");
  await put("second.py", "value = 1\n");
  await put("parts/__init__.py", "from .inner import twice\n");
  await put("parts/inner.py", "def twice(n):\n    return 2 * n\n");
  await put("quiet.py", "if True:\n    import first\n    from parts import twice\nprint(twice(first.value))\n");
  let said = "";
  const listen = new TransformStream({
    transform(chunk, next) {
      said += new TextDecoder("latin1").decode(chunk);
      next.enqueue(chunk);
    },
  });
  const mounted = await flylead.mountFolder({ readable: link.readable.pipeThrough(listen), writable: link.writable }, folder);
  const board = flylead.Board.attach(mounted);
  const run = async (module) => {
    await board.exec("import sys\nfor name in list(sys.modules): del sys.modules[name]");
    said = "";
    const { stdout } = await board.exec(`import ${module}`);
    return { printed: stdout.trim(), questions: said.split("\x18\x0fQ").length - 1 };
  };
  // A board that the system holds up for a second forgets what came along, and asks for it: then it imports once more.
  const fewest = async (module, { questions }) => {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const seen = await run(module);
      if (seen.questions <= questions || performance.now() > deadline) return seen;
    }
  };
  const seen = { told: await fewest("main", expected.told), untold: await fewest("quiet", expected.untold) };
  await put("second.py", "value = 21\n");
  seen.changed = await fewest("main", expected.changed);
  await board.close();
  await mounted.close();
  return seen;
}

/** `main` comes with all that it imports; the first lines of `quiet` do not tell, and `first` and `parts` come with theirs. */
const QUESTIONS = {
  told: { printed: "2", questions: 1 },
  untold: { printed: "2", questions: 3 },
  changed: { printed: "42", questions: 1 },
};

const EXPECTED = {
  label: "/remote",
  here: "/remote",
  imported: "42 8",
  listed: "['answer.py', 'data.bin', 'pack'] 70000",
  read: "70000 111 8916936",
  afterSeek: "b'PQR'",
  written: "3000\n3",
  moved: "['pack']",
  missing: "OSError: [Errno 2] ENOENT",
  notEmpty: "OSError: 39",
  removed: "False",
  gone: "OSError: [Errno 2] ENOENT",
  again: "43",
  news: ["mounted"],
  unmounted: "False",
  onDisk: [3003, 31],
};

function check(seen) {
  const { outside, folder, ...rest } = seen;
  assert.deepEqual(rest, { ...EXPECTED, notEmpty: rest.notEmpty });
  assert.match(rest.notEmpty, /^OSError: (39|\[Errno 39\].*)$/);
  assert.match(outside, /^OSError: /);
  assert.match(folder, /^OSError: \[Errno 21\] EISDIR$/);
}

/** Opens a link to a board, and uses the folder on it. */
async function checkLink(page, open) {
  check(await page.evaluate(`(async () => (${useFolder})(globalThis.link = await ${open}))()`));
  assert.deepEqual(await page.evaluate(`(${countQuestions})(link, ${JSON.stringify(QUESTIONS)})`), QUESTIONS);
}

test("a real board imports from a folder of the browser, reads and writes it, and has it again after a reset", async (t) => {
  const { url, stop } = await startBoard();
  t.after(stop);
  const page = await openFolder(t);
  await checkLink(page, `flylead.openSocket(${JSON.stringify(url)})`);
});

test("so does the board in the page", async (t) => {
  const page = await openFolder(t);
  await checkLink(page, "flylead.openBrowserBoard(options)");
});

test("a folder that was removed is said to be gone, and a link that carries text alone is refused", async (t) => {
  const page = await openFolder(t);
  const seen = await page.evaluate(async () => {
    const news = [];
    const link = await flylead.openBrowserBoard(options);
    const mounted = await flylead.mountFolder(link, folder, { at: "/pc", onNews: ({ kind }) => news.push(kind) });
    const board = flylead.Board.attach(mounted);
    await (await navigator.storage.getDirectory()).removeEntry("project", { recursive: true });
    const { message } = await refusal(board.exec("open('/pc/answer.py')"));
    await board.close();
    await mounted.close();
    const refused = [
      await refusal(flylead.mountFolder({ ...streams(link), textOnly: true }, folder)),
      await refusal(flylead.mountFolder(link, {})),
      await refusal(flylead.mountFolder(link, folder, { at: "here" })),
      await refusal(flylead.mountFolder(link, folder, { att: "/pc" })),
    ];
    return { message, news, refused, free: !link.readable.locked && !link.writable.locked };
    function streams({ readable, writable }) {
      return { readable, writable };
    }
  });
  assert.equal(seen.message, "OSError: [Errno 19] ENODEV");
  assert.deepEqual(seen.news, ["folderGone"]);
  assert.deepEqual(
    seen.refused.map(({ name }) => name),
    ["MountError", "TypeError", "TypeError", "TypeError"],
  );
  assert.match(seen.refused[0].message, /carries only text/);
  assert.match(seen.refused[3].message, /att/);
  assert.ok(seen.free, "the link can be used again");
});
