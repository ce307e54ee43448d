/** Makes the page available without a network, and offers a newer version when there is one. */

import { keepInThisTab, recallInThisTab } from "../storage/storage.ts";
import { texts } from "../texts/common.ts";
import { isGone, offerReload, offerUpdate } from "../ui/toast.ts";

/**
 * Enables offline use once the page has loaded everything itself. A browser that stores nothing is no worse off than
 * before.
 */
export function keepForOffline(): void {
  offerWhenPartsAreGone();
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  isolate();
  const register = () => void navigator.serviceWorker.register("./service-worker.js").then(follow).catch(() => undefined);
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}

/** Checks for newer versions: a page may stay open for weeks. */
function follow(registration: ServiceWorkerRegistration): void {
  const look = () => void registration.update().catch(() => undefined);
  setInterval(look, LOOK_EVERY_MS);
  document.addEventListener("visibilitychange", () => document.hidden || look());
  const found = (worker: ServiceWorker | null) => {
    // For the first version, no page is waiting.
    const tell = () => worker?.state === "installed" && registration.active && void offerVersion(worker);
    worker?.addEventListener("statechange", tell);
    tell();
  };
  found(registration.waiting);
  found(registration.installing);
  registration.addEventListener("updatefound", () => found(registration.installing));
}

/**
 * Offers a new version, unless this page already belongs to it, having come over the network, and only its service
 * worker is older.
 */
async function offerVersion(worker: ServiceWorker): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const answered = new Promise<{ isOurs: boolean }>((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  const begin = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.src;
  worker.postMessage({ begin }, [port2]);
  if ((await answered).isOurs) return;
  offerUpdate(texts.newVersion, () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    worker.postMessage({ begin, now: true });
  });
}

/** Offers to reload when the server has a new version, and this page requests a part of the old one. */
function offerWhenPartsAreGone(): void {
  addEventListener("vite:preloadError", offerReload);
  addEventListener("unhandledrejection", ({ reason }) => isGone(reason) && offerReload());
}

/**
 * Reloads the page at its first visit to a server that sends no headers: from the second load on, the worker adds those
 * that the board in the page needs.
 */
function isolate(): void {
  if (crossOriginIsolated || recallInThisTab(ISOLATED)) return;
  const reload = () => (keepInThisTab(ISOLATED, "1"), location.reload());
  if (navigator.serviceWorker.controller) reload();
  else navigator.serviceWorker.addEventListener("controllerchange", reload, { once: true });
}

const ISOLATED = "isolated";
const LOOK_EVERY_MS = 60 * 60 * 1000;
