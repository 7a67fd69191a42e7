/** Returns the ETag of a reply of the form `{"data": {"etag": …}}`; null for any other. */
export function etagOf(json: string): string | null {
  const reply: unknown = JSON.parse(json)
  const data: unknown = typeof reply === 'object' && reply !== null ? Reflect.get(reply, 'data') : null
  const etag: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'etag') : null
  return typeof etag === 'string' ? etag : null
}

/**
 * Returns true if `If-None-Match` contains this ETag, so that no body is sent. Weak comparison (RFC 9110,
 * 13.1.2).
 */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  return ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etag || `"${tag}"` === etag)
}
