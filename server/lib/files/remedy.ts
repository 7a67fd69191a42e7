/**
 * Adds how to continue to the message of a start that could not use a file or folder: by the code of the error,
 * else `otherwise`. Without either, the message ends with the cause.
 */
export function withRemedy(message: string, error: unknown, otherwise?: string): string {
  const remedy = remedyFor(error) ?? otherwise
  return remedy === undefined ? message : `${message}. ${remedy}`
}

function remedyFor(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM')
    return 'Give the user of this service access to it, then start again.'
  return code === 'EISDIR' ? 'Move it away, then start again.' : undefined
}
