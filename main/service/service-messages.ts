/** The messages from the service process to the main process. */
export type ServiceMessage =
  | { readonly kind: 'ready'; readonly url: string }
  /**
   * `isLocked`: another process owns the data folder. `runningAt`: the URL of that process; null while it
   * starts or stops.
   */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly isLocked: boolean
      readonly runningAt: string | null
    }
  | KeysMessage

/**
 * The service's requests to the system's key store. The reply to `get-keys` is `keys`; the reply to
 * `store-keys` is `stored-keys` with the same id. A `text` of null deletes the keys.
 */
export type KeysMessage =
  | { readonly kind: 'get-keys' }
  | { readonly kind: 'store-keys'; readonly id: number; readonly text: string | null }

/** `stored`: the content of the key store, or null. `use`: with `file`, the service uses its own file. */
export type KeyStoreContent = { readonly stored: string | null; readonly use: 'os' | 'file' }

export type KeysCommand =
  | ({ readonly kind: 'keys' } & KeyStoreContent)
  | { readonly kind: 'stored-keys'; readonly id: number; readonly failure: string | null }

/** The messages from the main process to the service process. */
export type HostCommand = { readonly kind: 'close' } | KeysCommand

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'

/** Returns true for the result of a start. */
export function isServiceMessage(value: unknown): value is Exclude<ServiceMessage, KeysMessage> {
  if (!isRecord(value)) return false
  if (value['kind'] === 'ready') return typeof value['url'] === 'string'
  const { kind, reason, isLocked, runningAt } = value
  return (
    kind === 'failed' &&
    typeof reason === 'string' &&
    typeof isLocked === 'boolean' &&
    isTextOrNull(runningAt)
  )
}

export function isKeysMessage(value: unknown): value is KeysMessage {
  if (!isRecord(value)) return false
  const { kind, id, text } = value
  return kind === 'get-keys' || (kind === 'store-keys' && typeof id === 'number' && isTextOrNull(text))
}

export function isKeysCommand(value: unknown): value is KeysCommand {
  if (!isRecord(value)) return false
  const { kind, stored, use, id, failure } = value
  if (kind === 'keys') return isTextOrNull(stored) && (use === 'os' || use === 'file')
  return kind === 'stored-keys' && typeof id === 'number' && isTextOrNull(failure)
}

export const isCloseCommand = (value: unknown): value is { readonly kind: 'close' } =>
  isRecord(value) && value['kind'] === 'close'
