import { isNoSpace } from './no-space.ts'

/**
 * Appends a remedy to the message about a file or folder that the service could not use at its start. The
 * error code selects the remedy; `defaultRemedy` is for other codes. Without a remedy, the message is
 * unchanged.
 */
export function withRemedy(message: string, error: unknown, defaultRemedy?: string): string {
  const remedy = remedyFor(error) ?? defaultRemedy
  return remedy === undefined ? message : `${message}. ${remedy}`
}

function remedyFor(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM')
    return 'Give the user of this service access to it, then start again.'
  if (code === 'EROFS') return 'Make its disk writable, then start again.'
  if (isNoSpace(error)) return 'Free disk space, then start again.'
  return code === 'EISDIR' ? 'Move it away, then start again.' : undefined
}
