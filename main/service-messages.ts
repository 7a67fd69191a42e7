/** What the service's process tells the window's process. */
export type ServiceMessage =
  | { readonly kind: 'ready'; readonly url: string }
  /** `runningAt`: another process already serves this data folder, at this address. */
  | { readonly kind: 'failed'; readonly reason: string; readonly runningAt: string | null }

/** What the window's process tells the service's. */
export type HostCommand = { readonly kind: 'close' }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export function isServiceMessage(value: unknown): value is ServiceMessage {
  if (!isRecord(value)) return false
  if (value['kind'] === 'ready') return typeof value['url'] === 'string'
  const { runningAt } = value
  const isAddress = runningAt === null || typeof runningAt === 'string'
  return value['kind'] === 'failed' && typeof value['reason'] === 'string' && isAddress
}

export const isHostCommand = (value: unknown): value is HostCommand =>
  isRecord(value) && value['kind'] === 'close'
