/**
 * Keeps the whole page in the browser, so that it works without a network after the first visit. Whoever asks for the
 * page itself gets the newest one that can be reached; its parts have their content in their names and never change.
 */

const CACHE = "flylead-__VERSION__";
const FILES = __FILES__;
/** What is large, and kept when it is first asked for. Those of other versions that are the same ones stay. */
const LATER_CACHE = "flylead-later";
const LATER = __LATER__;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["./", ...FILES])).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const forgetOlder = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith("flylead-") && name !== CACHE && name !== LATER_CACHE).map((name) => caches.delete(name)));
    const later = await caches.open(LATER_CACHE);
    const kept = await later.keys();
    await Promise.all(kept.filter((request) => !isLater(request)).map((request) => later.delete(request)));
    await self.clients.claim();
  };
  event.waitUntil(forgetOlder());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(request.mode === "navigate" ? newest(request) : kept(request));
});

async function newest(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match("./", { ignoreVary: true })) ?? Response.error();
  }
}

async function kept(request) {
  return (await caches.match(request, { ignoreVary: true })) ?? (isLater(request) ? keep(request) : fetch(request));
}

function isLater({ url }) {
  return LATER.some((file) => url === new URL(file, location).href);
}

async function keep(request) {
  const response = await fetch(request);
  // A browser that has no room for it is no worse off than before.
  if (response.ok) await caches.open(LATER_CACHE).then((cache) => cache.put(request, response.clone())).catch(() => undefined);
  return response;
}
