/** Reads all bytes of a stream; throws an error and leaves the rest unread if it has more than `most`. */
export async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, most: number, tooLong: string): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > most) {
      void reader.cancel();
      throw new Error(tooLong);
    }
    parts.push(value);
  }
}
