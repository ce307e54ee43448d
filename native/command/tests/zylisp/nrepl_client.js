// nREPL as npm's nrepl-client speaks it: what its callbacks are given, a line for each.
const { connect } = require(process.argv[2] + "/nrepl-client");

const connection = connect({ port: Number(process.argv[3]), host: "127.0.0.1" });
const asked = (send) =>
  new Promise((resolve, reject) => send((error, messages) => (error ? reject(error) : resolve(messages))));
const all = (messages, key) => messages.flatMap((message) => message[key] ?? []);

connection.once("connect", async () => {
  const described = await asked((done) => connection.describe(undefined, false, done));
  console.log("ops", "eval" in described[0].ops, "interrupt" in described[0].ops);

  const evaluated = await asked((done) => connection.eval('(println "héllo") (+ 1 2) (list 3 "x")', done));
  console.log("out", all(evaluated, "out").join(""), "value", all(evaluated, "value").join(" "));

  const [{ "new-session": session }] = await asked((done) => connection.clone(done));
  await asked((done) => connection.eval("(define x 42)", undefined, session, done));
  console.log("x", all(await asked((done) => connection.eval("x", undefined, session, done)), "value").join());
  console.log("unbound", all(await asked((done) => connection.eval("x", done)), "ex").join());

  const loaded = await asked((done) => connection.loadFile("(define y 20)\n(+ y 1)", "y.zl", "src/y.zl", done));
  console.log("load-file", all(loaded, "value").join());

  let send;
  const endless = asked((done) => {
    send = connection.eval("(define f (lambda () (f))) (f)", undefined, session, done);
  });
  await asked((done) => connection.interrupt(session, send.id, done));
  console.log("interrupted", all(await endless, "status").includes("interrupted"));

  const other = connect({ port: Number(process.argv[3]), host: "127.0.0.1" });
  await new Promise((resolve) => other.once("connect", resolve));
  const second = asked((done) => connection.eval("(f)", undefined, session, done));
  // It may come before what it interrupts.
  let words;
  do words = all(await asked((done) => other.interrupt(session, done)), "status");
  while (words.includes("session-idle"));
  console.log("interrupted from another connection", words.join(), all(await second, "status").includes("interrupted"));
  const unknown = await asked((done) => other.eval("1", undefined, session, done));
  console.log("unknown there", all(unknown, "status").includes("unknown-session"));
  other.end();

  console.log("sessions", all(await asked((done) => connection.lsSessions(done)), "sessions").includes(session));
  console.log("closed", all(await asked((done) => connection.close(session, done)), "status").join());
  connection.end();
});
