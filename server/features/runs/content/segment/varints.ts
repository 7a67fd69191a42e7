/** Bytes that grow as numbers and texts are added. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(64 * 1024)
  length = 0

  varint(value: number): void {
    this.#reserve(5)
    let rest = value
    while (rest > 127) {
      this.#bytes[this.length] = (rest & 127) | 128
      this.length += 1
      rest >>>= 7
    }
    this.#bytes[this.length] = rest
    this.length += 1
  }

  text(text: string): void {
    const length = Buffer.byteLength(text)
    this.varint(length)
    this.#reserve(length)
    this.#bytes.write(text, this.length)
    this.length += length
  }

  bytes(bytes: Uint8Array): void {
    this.varint(bytes.length)
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Returns the bytes, valid until the next change. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  clear(): void {
    this.length = 0
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.length + more))
    grown.set(this.view())
    this.#bytes = grown
  }
}

/** Reads numbers and texts in the order in which they were written. */
export class ByteReader {
  readonly #bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }

  varint(): number {
    let value = 0
    let shift = 0
    for (;;) {
      const byte = this.#bytes[this.at] ?? 0
      this.at += 1
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
      shift += 7
    }
  }

  text(): string {
    const length = this.varint()
    const text = this.#bytes.toString('utf8', this.at, this.at + length)
    this.at += length
    return text
  }

  bytes(): Buffer {
    const length = this.varint()
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }
}

/** Reusable space for the encoded numbers of one term. */
const scratch = new ByteWriter()

/** Encodes ascending numbers as differences. The result is valid until the next call. */
export function encodeNumbers(numbers: Uint16Array): Buffer {
  scratch.clear()
  let last = 0
  for (const number of numbers) {
    scratch.varint(number - last)
    last = number
  }
  return scratch.view()
}

export function decodeNumbers(bytes: Buffer, count: number): Uint16Array {
  const numbers = new Uint16Array(count)
  let at = 0
  let last = 0
  for (let index = 0; index < count; index += 1) {
    let shift = 0
    for (;;) {
      const byte = bytes[at] ?? 0
      at += 1
      last += (byte & 127) << shift
      if (byte < 128) break
      shift += 7
    }
    numbers[index] = last
  }
  return numbers
}
