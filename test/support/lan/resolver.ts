/** Returns a resolver for only these host names; others are not found. */
export const resolverOf =
  (addresses: Readonly<Record<string, string[]>>) =>
  async (hostname: string): Promise<string[]> => {
    const found = addresses[hostname]
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    return found
  }
