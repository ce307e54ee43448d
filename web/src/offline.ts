/** Lets the browser keep the page for a time without a network. */

/** Asks for that once the page has all it needs itself. A browser that keeps nothing is no worse off than before. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const register = () => void navigator.serviceWorker.register("./service-worker.js").catch(() => undefined);
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}
