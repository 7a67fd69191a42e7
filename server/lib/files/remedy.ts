/**
 * Returns the sentence that says how to continue after a start could not use a file or folder; `otherwise` if
 * only the cause in the message can help.
 */
export function remedyFor(error: unknown, otherwise: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM')
    return 'Give the user of this service access to it, then start again.'
  return code === 'EISDIR' ? 'Move it away, then start again.' : otherwise
}
