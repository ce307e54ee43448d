// Shows every board of the hub, once a second while somebody can see the page.

const ACTIVITIES = {
  away: "is not connected",
  prompt: "waits at its prompt",
  line: "has a line half typed",
  exchange: "exchanges data with a tool",
  program: "runs a program",
  returning: "is brought back to its prompt",
  unknown: "is connected, and has shown no prompt yet",
};
const PAUSE = 1000;
const PATIENCE = 10_000;

// The token follows the #, which browsers send to nobody.
const token = new URLSearchParams(location.hash.slice(1)).get("board") ?? "";
const at = (selector) => document.querySelector(selector);
let summary = "";

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

const nameOf = ({ name, board }) => name ?? board;
const used = ({ who, seconds }) => `${who}, for ${duration(seconds)}`;

function row(board) {
  const heading = element("th", nameOf(board));
  heading.scope = "row";
  const address = board.port ?? board.board;
  if (address !== nameOf(board)) heading.append(element("small", address));
  const does = element("td", ACTIVITIES[board.activity] ?? board.activity);
  if (board.fault && board.activity === "away") does.append(element("small", board.fault));
  const waiting = board.waiting.map((by) => element("li", used(by)));
  return element(
    "tr",
    "",
    heading,
    does,
    element("td", board.holder ? used(board.holder) : "nobody"),
    waiting.length > 0 ? element("td", "", element("ol", "", ...waiting)) : element("td", "nobody"),
  );
}

function summarized(boards) {
  const count = (is) => boards.filter(is).length;
  const parts = [
    boards.length === 1 ? "1 board" : `${boards.length} boards`,
    `${count((it) => it.holder)} in use`,
    `${count((it) => it.activity === "away")} not connected`,
  ];
  return `${parts.join(", ")}.`;
}

function show(boards) {
  at("tbody").replaceChildren(...boards.map(row));
  at("table").hidden = boards.length === 0;
  const now = summarized(boards);
  // A screen reader reads what changes; the times change each second.
  if (now !== summary) at("#summary").textContent = summary = now;
  problem("");
}

function problem(text) {
  if (at("#problem").textContent !== text) at("#problem").textContent = text;
}

async function update() {
  const query = new URLSearchParams({ token });
  let answer;
  try {
    answer = await fetch(`/farm/boards?${query}`, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  } catch {
    return problem("The hub does not answer. This page goes on when flylead serve runs again at the same address.");
  }
  if (answer.status === 401) {
    return problem("The token is missing or wrong. Open the address that flylead serve printed, which holds it.");
  }
  if (answer.status === 404) return problem("This flylead serve shares no board; start it with --board.");
  if (!answer.ok) return problem(`The hub refuses: ${await answer.text()}`);
  show(await answer.json());
}

function visible() {
  return new Promise((resolve) => {
    if (!document.hidden) return resolve();
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}

if (token) at("#workbench").href = `/#board=${encodeURIComponent(token)}`;
addEventListener("hashchange", () => location.reload());
for (;;) {
  await visible();
  await update();
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
}
