/**
 * Returns the JSON of a value. A BigInt, which has no JSON form, becomes a number, or a string if a number cannot
 * represent it.
 */
export const toJson = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? plain(member) : member))

const plain = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
