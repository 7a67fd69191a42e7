const codes = new Set(['ENOSPC', 'EDQUOT'])

/** Returns true for the codes of a full disk and of an exceeded quota. */
export const isNoSpaceCode = (code: string): boolean => codes.has(code)

/**
 * Returns true if the file system refused a write for lack of space. That error may be the cause of another
 * one.
 */
export function isNoSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isNoSpaceCode((error as NodeJS.ErrnoException).code ?? '') || isNoSpace(error.cause)
}
