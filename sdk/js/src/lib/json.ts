/** Returns the JSON of a value. A BigInt becomes a number, or a string if that would change its digits. */
export const toJson = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'bigint') return member
    return Number.isSafeInteger(Number(member)) ? Number(member) : String(member)
  })
