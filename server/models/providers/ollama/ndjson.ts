/**
 * Parses a body with one JSON text per line and yields each value. Throws a `SyntaxError` for an invalid
 * line.
 */
export async function* ndjson(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  // Chunks of the incomplete line. Joined once, so that a long line is not copied with each chunk.
  let lineChunks: string[] = []
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const [end = '', ...nextLines] = text.split('\n')
    lineChunks.push(end)
    for (const nextLine of nextLines) {
      const line = lineChunks.join('')
      lineChunks = [nextLine]
      if (line.trim() !== '') yield JSON.parse(line)
    }
  }
  const last = lineChunks.join('')
  if (last.trim() !== '') yield JSON.parse(last)
}
