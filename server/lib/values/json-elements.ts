/** Maximum number of elements of a message, nested ones included. One of two bytes becomes an object of about 100. */
export const maxElements = 500_000

const openingBracket = 0x5b
const openingBrace = 0x7b
const comma = 0x2c

/**
 * Returns true for JSON with too many elements, which are counted before they take memory. Commas in texts count too, so a
 * long text has a share of its size.
 */
export function hasTooManyElements(json: Buffer): boolean {
  const max = maxElements + json.length / 16
  let count = 0
  for (const byte of json) {
    if (byte === openingBrace || byte === openingBracket || byte === comma) count += 1
  }
  return count > max
}
