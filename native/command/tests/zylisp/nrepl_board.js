// A board's REPL as npm's nrepl-client sees it: what its callbacks are given, a line for each.
const { connect } = require(process.argv[2] + "/nrepl-client");

const connection = connect({ port: Number(process.argv[3]), host: "127.0.0.1" });
const asked = (send) =>
  new Promise((resolve, reject) => send((error, messages) => (error ? reject(error) : resolve(messages))));
const all = (messages, key) => messages.flatMap((message) => message[key] ?? []);
const request = (fields) => asked((done) => connection.send(fields, done));

// Resolves with the first message that fits.
const until = (fits) =>
  new Promise((resolve) => {
    const look = (_id, messages) => {
      const found = messages.find(fits);
      if (!found) return;
      connection.messageStream.removeListener("messageSequence", look);
      resolve(found);
    };
    connection.messageStream.on("messageSequence", look);
  });

connection.once("connect", async () => {
  const [{ ops }] = await asked((done) => connection.describe(undefined, false, done));
  console.log("ops", Object.keys(ops).sort().join(" "));

  const [{ "new-session": session }] = await asked((done) => connection.clone(done));
  const evaluated = await asked((done) =>
    connection.eval("def double(n):\n  'Twice.'\n  return 2 * n\nprint('héllo')\ndouble(21)", undefined, session, done),
  );
  console.log("eval", all(evaluated, "out").join("").trim(), all(evaluated, "value").join());
  const loaded = await asked((done) => connection.loadFile("y = 20\ny + 1", "y.py", "src/y.py", done));
  console.log("load-file", all(loaded, "value").join());

  const completed = await request({ op: "completions", prefix: "dou", session });
  console.log("completions", all(completed, "completions").map(({ candidate }) => candidate).join());
  const conjured = await request({ op: "complete", symbol: "dou", session });
  console.log("complete", all(conjured, "completions").map(({ candidate }) => candidate).join());
  console.log("eldoc", all(await request({ op: "eldoc", sym: "double", session }), "eldoc").join());
  console.log("info", all(await request({ op: "info", sym: "double", session }), "doc").join());
  const [{ info }] = await request({ op: "lookup", sym: "double", session });
  console.log("lookup", info["arglists-str"], info.doc);

  // Any status ends a request of this client: here that it needs input.
  const reading = await asked((done) => connection.eval("'read ' + input()", undefined, session, done));
  console.log("needs input", all(reading, "status").includes("need-input"));
  const read = until((message) => "value" in message);
  await request({ op: "stdin", stdin: "Ada\n", session });
  console.log("stdin", (await read).value);

  const ready = until((message) => (message.out ?? "").includes("ready"));
  const endless = asked((done) => connection.eval("print('ready')\nwhile True: pass", undefined, session, done));
  await ready;
  await asked((done) => connection.interrupt(session, done));
  console.log("interrupt", all(await endless, "status").includes("interrupted"));

  console.log("ls-sessions", all(await asked((done) => connection.lsSessions(done)), "sessions").includes(session));
  console.log("close", all(await asked((done) => connection.close(session, done)), "status").join());

  const refused = [];
  for (const op of Object.keys(ops)) {
    const words = all(await request({ op, code: "1", file: "1", sym: "double", prefix: "d", stdin: "\n" }), "status");
    if (words.includes("unknown-op")) refused.push(op);
  }
  console.log("refused", refused.join());
  connection.end();
});
