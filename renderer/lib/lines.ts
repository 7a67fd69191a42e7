const quote = 0x22
const lineFeed = 0x0a

/** Counts the lines of a file as it comes. In a CSV a line break between quotation marks belongs to its line. */
export function createLineCount(format: 'csv' | 'jsonl') {
  let lines = 0
  let isQuoted = false
  return {
    add(bytes: Uint8Array): void {
      for (const byte of bytes) {
        if (byte === quote && format === 'csv') isQuoted = !isQuoted
        else if (byte === lineFeed && !isQuoted) lines += 1
      }
    },
    count: (): number => lines,
  }
}
