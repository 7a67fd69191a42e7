/** Returns text for comparison without case: NFKC, lower case. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** Returns the distinct words of a search text, folded; at most ten. */
export function searchWords(text: string): string[] {
  return [...new Set(fold(text).split(/[\s._\-@/]+/u))].filter((word) => word !== '').slice(0, 10)
}

/** Returns text in which LIKE with the escape character `\\` finds no wildcard. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (char) => `\\${char}`)
