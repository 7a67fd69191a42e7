/**
 * Returns the token of an `Authorization: Bearer …` header. Null if there is none or it has another scheme.
 */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +([^\s]+)$/i.exec(header ?? '')?.[1] ?? null
}
