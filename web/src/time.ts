/** Waits, and limits of waits. */

export function sleep(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

/** Returns the result of some work, or throws `message` if it takes longer than `limit` milliseconds. */
export function within<T>(limit: number, work: Promise<T>, message: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error(message)), limit)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
