// Errors are plain `Error`s told apart by their `name`.

const NAMES = new Set([
  "BusyError",
  "CancelledError",
  "ClosedError",
  "ControlByteError",
  "DebugError",
  "EditError",
  "ExportError",
  "FileError",
  "LinkError",
  "LostError",
  "MountError",
  "NotRunningError",
  "PasswordError",
  "PathError",
  "ProgramError",
  "RefusedError",
  "RejectedError",
  "RestartedError",
  "SessionError",
  "SourceError",
  "TimeoutError",
  "TooLongError",
  "UnsupportedError",
]);

/** An `Error` with a stable name. */
export function named(name, message, cause) {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  error.name = name;
  return error;
}

export function isFlyleadError(error) {
  return error instanceof Error && NAMES.has(error.name);
}
