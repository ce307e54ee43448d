/** Returns the name under which the run that the device at a port records is stored. */
export function recordingAt(port: string): string {
  return `recording.${port}`;
}
