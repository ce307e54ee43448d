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

export function isFlyleadError(error) {
  return error instanceof Error && NAMES.has(error.name);
}
