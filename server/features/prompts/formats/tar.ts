/** Size of a block of a tar archive, in bytes. */
const block = 512

/** A text file of an archive. Its path is relative, with `/` between folders. */
export type ArchivedFile = { readonly path: string; readonly text: string }

/** Writes files as a tar archive (POSIX.1-2001, pax), a file at a time. */
export async function* writeTar(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  for await (const { path, text } of files) {
    // The header has 100 bytes for a path; a pax record has no limit.
    yield* entry('x', 'pax', Buffer.from(paxRecord('path', path)))
    yield* entry('0', 'prompt', Buffer.from(text))
  }
  yield Buffer.alloc(2 * block)
}

function* entry(type: string, name: string, content: Buffer): Generator<Uint8Array> {
  const header = Buffer.alloc(block)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write(' '.repeat(8), 148)
  header.write(type, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  yield header
  yield content
  yield Buffer.alloc((block - (content.length % block)) % block)
}

/** Returns `<length> name=value\n`, where the length includes itself. */
function paxRecord(name: string, value: string): string {
  const rest = Buffer.byteLength(` ${name}=${value}\n`)
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return `${length} ${name}=${value}\n`
}
