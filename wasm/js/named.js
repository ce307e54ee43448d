/** An `Error` with a stable name. */
export function named(name, message, cause) {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  error.name = name;
  return error;
}
