// A script in the worker of a board's frame, as whatever got out of the interpreter and past the walls of `guest.js` would be. It tries all
// ways out that a worker has, and says of each whether it was one.

const attempts = (home) => ({
  "the page's origin": async () => self.origin !== "null",
  "IndexedDB": () => new Promise((resolve, reject) => Object.assign(indexedDB.open("canary"), { onsuccess: resolve, onerror: reject })),
  "Cache Storage": () => caches.keys(),
  "private files": () => navigator.storage.getDirectory(),
  "how much is stored": () => navigator.storage.persist().then(Boolean),
  "locks of the page": () => navigator.locks.request("canary", () => 1),
  "the page's own address": () => fetch(home.page, { mode: "no-cors" }),
  "another host": () => fetch("https://example.invalid/", { mode: "no-cors" }),
  "a form of a request that needs no answer": () => navigator.sendBeacon(home.page, "x"),
  "an old request": () => (importOld(home.page), true),
  "a socket": () => socket(new WebSocket(home.origin.replace("http", "ws"))),
  "events of a server": () => socket(new EventSource(home.page)),
  "a script of the page": () => importScripts(`${home.origin}/isolated/js/named.js`),
  "a module of the page": () => import(`${home.origin}/isolated/js/named.js`),
  "a script in text": () => new Function("return 1")(),
  "eval": () => (0, eval)("1"),
  "a worker of the page": () => worker(`${home.origin}/isolated/tests/confined.js`),
  "a worker in data:": () => worker("data:text/javascript,postMessage(1)"),
  "serial ports": () => navigator.serial.getPorts(),
  "USB devices": () => navigator.usb.getDevices(),
  "HID devices": () => navigator.hid.getDevices(),
  "the page's service worker": () => navigator.serviceWorker.getRegistrations(),
  "cookies": () => cookieStore.getAll(),
  "notices": async () => Notification.permission === "granted",
  "a broadcast to the page": () => answered("canary"),
});

onmessage = ({ ports: [port] }) => {
  port.onmessageerror = () => port.postMessage("none came");
  port.onmessage = async ({ data }) => {
    if (!data?.page) return port.postMessage("it came");
    const found = {};
    for (const [name, attempt] of Object.entries(attempts(data))) found[name] = await outcome(attempt);
    found["memory with a worker of its own"] = await shared().catch(() => "in");
    port.postMessage(found);
  };
};

async function outcome(attempt) {
  const late = new Promise((resolve) => setTimeout(resolve, 1000, false));
  try {
    const answer = await Promise.race([attempt(), late]);
    return answer === false || answer === undefined ? "in" : "OUT";
  } catch {
    return "in";
  }
}

function importOld(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.send();
}

function socket(one) {
  return new Promise((resolve, reject) => Object.assign(one, { onopen: resolve, onmessage: resolve, onerror: reject }));
}

function worker(address) {
  return new Promise((resolve, reject) => Object.assign(new Worker(address), { onmessage: resolve, onerror: reject }));
}

function answered(name) {
  const channel = new BroadcastChannel(name);
  channel.postMessage("is anybody there?");
  return new Promise((resolve) => (channel.onmessage = resolve));
}

/** The board's own memory: this worker and one that it makes can wait for each other. */
async function shared() {
  const buffer = new SharedArrayBuffer(8);
  const text = "onmessage=({data})=>{Atomics.store(new Int32Array(data),0,7);postMessage(0)}";
  const other = new Worker(URL.createObjectURL(new Blob([text])));
  other.postMessage(buffer);
  return new Promise((resolve, reject) => {
    other.onmessage = () => (Atomics.load(new Int32Array(buffer), 0) === 7 ? resolve("shared") : reject());
    other.onerror = reject;
  });
}
