/** What the service's process tells the window's process. */
export type ServiceMessage =
  | { readonly kind: 'ready'; readonly url: string }
  /**
   * `isLocked`: another process has this data folder open. `runningAt`: where that one serves it; null while it is
   * starting or stopping.
   */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly isLocked: boolean
      readonly runningAt: string | null
    }

/** What the window's process tells the service's. */
export type HostCommand = { readonly kind: 'close' }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export function isServiceMessage(value: unknown): value is ServiceMessage {
  if (!isRecord(value)) return false
  if (value['kind'] === 'ready') return typeof value['url'] === 'string'
  const { kind, reason, isLocked, runningAt } = value
  const isAddress = runningAt === null || typeof runningAt === 'string'
  return kind === 'failed' && typeof reason === 'string' && typeof isLocked === 'boolean' && isAddress
}

export const isHostCommand = (value: unknown): value is HostCommand =>
  isRecord(value) && value['kind'] === 'close'
