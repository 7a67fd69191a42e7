const quote = 0x22
const lineFeed = 0x0a

/** Counts the lines of a file from its chunks. A line break inside CSV quotes does not end a line. */
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
