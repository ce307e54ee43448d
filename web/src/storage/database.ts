/**
 * Data that this browser stores for the page in IndexedDB: logs and sessions, which are too large for local storage.
 */

import { within } from "../time.ts";

export type StoreName = "runs" | "logs" | "agent";

/** Sends one request to one store; resolves once it is stored. */
export async function ask<T>(mode: IDBTransactionMode, name: StoreName, request: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const transaction = (await database()).transaction(name, mode);
  const asked = request(transaction.objectStore(name));
  await done(transaction);
  return asked.result as T;
}

const database = openingDatabase("flylead", (made) => {
  made.createObjectStore("runs", { keyPath: "id" });
  made.createObjectStore("logs");
  made.createObjectStore("agent");
});

/**
 * Returns a function that opens a database, which `make` sets up the first time, and keeps it open. It is opened again after it failed,
 * or the browser closed it, as when the person deletes the page's data.
 */
export function openingDatabase(name: string, make: (made: IDBDatabase) => void): () => Promise<IDBDatabase> {
  let opened: Promise<IDBDatabase> | undefined;
  const forget = () => (opened = undefined);
  const open = () => within(OPENS_WITHIN_MS, openDatabase(name, make, forget), "the storage of this browser does not answer");
  return () =>
    (opened ??= open().catch((error) => {
      forget();
      throw error;
    }));
}

function openDatabase(name: string, make: (made: IDBDatabase) => void, closed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.addEventListener("upgradeneeded", () => make(request.result));
    request.addEventListener("success", () => {
      request.result.addEventListener("close", closed);
      resolve(request.result);
    });
    request.addEventListener("error", () => reject(request.error));
  });
}

/** Time for opening a database, which browsers have left unanswered when their storage was damaged. */
const OPENS_WITHIN_MS = 10_000;

/** Resolves once a transaction is stored. */
export function done(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error));
  });
}
