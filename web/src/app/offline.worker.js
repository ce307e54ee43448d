/**
 * Stores the whole page in the browser, so that it works without a network after the first visit. A request for the
 * page itself gets the newest reachable one; its parts have content hashes in their names and never change. Other pages
 * of the same origin, and any code injected into them, can write to the cache: therefore each cached answer is first
 * checked against its hash. A new version waits until the page of the old one has gone, which continues with its own
 * parts.
 */

const CACHE = "flylead-__VERSION__";
/** Files of the page, each with the SHA-256 of its content, in base64. */
const FILES = __FILES__;
/** Cache of large files, stored when they are first requested. Equal ones of other versions stay. */
const LATER_CACHE = "flylead-later";
const LATER = __LATER__;
const INDEX = "./";
const TYPES = __TYPES__;
/**
 * Headers of the page. The board in the page shares memory with its worker, which browsers allow only for an isolated
 * page.
 */
const POLICIES = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "__POLICY__",
};

const HASHES = new Map(Object.entries({ ...FILES, ...LATER }).map(([file, hash]) => [new URL(file, location).href, hash]));
const LATER_URLS = new Set(Object.keys(LATER).map((file) => new URL(file, location).href));

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(Object.keys(FILES))));
});

self.addEventListener("activate", (event) => {
  const forgetOlder = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith("flylead-") && name !== CACHE && name !== LATER_CACHE).map((name) => caches.delete(name)));
    const later = await caches.open(LATER_CACHE);
    const kept = await later.keys();
    await Promise.all(kept.filter(({ url }) => !LATER_URLS.has(url)).map((request) => later.delete(request)));
    await self.clients.claim();
  };
  event.waitUntil(forgetOlder());
});

/**
 * Handles `{ begin: file }`, with which a page asks this version to take over from the last one: at once if the user
 * agreed (`now`), or if the page belongs to this version, as `file` is one of its files, and no other page is open.
 */
self.addEventListener("message", (event) => {
  const takeOver = async () => {
    const { begin, now } = event.data;
    const isOurs = HASHES.has(begin);
    const open = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (now || (isOurs && open.length <= 1)) await self.skipWaiting();
    event.ports[0]?.postMessage({ isOurs });
  };
  if (event.data?.begin) event.waitUntil(takeOver());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(newest(request));
  else if (HASHES.has(request.url)) event.respondWith(kept(request));
});

async function newest(request) {
  try {
    return isolated(await fetch(request));
  } catch {
    return (await intact(INDEX)) ?? Response.error();
  }
}

/** Adds the headers that the board in the page needs, which a mere file server does not send. */
function isolated(response) {
  if (response.type !== "basic" || !response.ok || response.headers.has("Cross-Origin-Embedder-Policy")) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(POLICIES)) if (!headers.has(name)) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

async function kept(request) {
  return (await intact(request.url)) ?? keep(request);
}

/** Returns the cached copy for an address, if it matches the build; else removes it. */
async function intact(address) {
  const { href } = new URL(address, location);
  for (const name of [CACHE, LATER_CACHE]) {
    const cache = await caches.open(name);
    const response = await cache.match(href, { ignoreVary: true });
    if (!response) continue;
    const content = await response.arrayBuffer();
    // With our own headers: cached ones could grant more than the content needs.
    if ((await hash(content)) === HASHES.get(href)) return new Response(content, { headers: { ...POLICIES, "Content-Type": typeOf(href) } });
    await cache.delete(href, { ignoreVary: true });
  }
  return undefined;
}

async function hash(content) {
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", content))));
}

function typeOf(href) {
  return TYPES[/\.\w+$/.exec(new URL(href).pathname)?.[0] ?? ".html"] ?? "application/octet-stream";
}

async function keep(request) {
  const response = isolated(await fetch(request));
  // A browser without space for it is no worse off than before.
  const name = LATER_URLS.has(request.url) ? LATER_CACHE : CACHE;
  if (response.ok) await caches.open(name).then((cache) => cache.put(request.url, response.clone())).catch(() => undefined);
  return response;
}
