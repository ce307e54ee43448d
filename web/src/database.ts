/** What this browser keeps for the page in IndexedDB: logs and sessions, which are too large for a line of text. */

export type StoreName = "runs" | "logs" | "agent";

/** Does one thing with one store; resolves when it is kept. */
export async function ask<T>(mode: IDBTransactionMode, name: StoreName, request: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const transaction = (await database()).transaction(name, mode);
  const asked = request(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve(asked.result as T));
    transaction.addEventListener("abort", () => reject(transaction.error));
  });
}

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("flylead", 1);
    request.addEventListener("upgradeneeded", () => {
      request.result.createObjectStore("runs", { keyPath: "id" });
      request.result.createObjectStore("logs");
      request.result.createObjectStore("agent");
    });
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
  return opened;
}
