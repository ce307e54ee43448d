/**
 * Data that this browser stores for the page in IndexedDB: logs and sessions, which are too large for local storage.
 */

export type StoreName = "runs" | "logs" | "agent";

/** Sends one request to one store; resolves once it is stored. */
export async function ask<T>(mode: IDBTransactionMode, name: StoreName, request: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const transaction = (await database()).transaction(name, mode);
  const asked = request(transaction.objectStore(name));
  await done(transaction);
  return asked.result as T;
}

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  return (opened ??= openDatabase("flylead", (made) => {
    made.createObjectStore("runs", { keyPath: "id" });
    made.createObjectStore("logs");
    made.createObjectStore("agent");
  }));
}

/** Opens a database, which `make` sets up the first time. */
export function openDatabase(name: string, make: (made: IDBDatabase) => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.addEventListener("upgradeneeded", () => make(request.result));
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

/** Resolves once a transaction is stored. */
export function done(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error));
  });
}
