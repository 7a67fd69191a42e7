/**
 * Parses a body with one JSON text per line and yields each value. Throws a `SyntaxError` for an invalid
 * line.
 */
export async function* ndjson(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  // Pieces of the incomplete line. Joined once, so that a long line is not copied with each piece.
  let begun: string[] = []
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const [first = '', ...others] = text.split('\n')
    begun.push(first)
    for (const other of others) {
      const line = begun.join('')
      begun = [other]
      if (line.trim() !== '') yield JSON.parse(line)
    }
  }
  const last = begun.join('')
  if (last.trim() !== '') yield JSON.parse(last)
}
