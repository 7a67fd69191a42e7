import { isCloseCommand, type ServiceMessage } from './service-messages.ts'

type Running = { readonly url: string; close(): Promise<void> }

export type ServiceHost = {
  /** The port of the utility process to the main process. */
  readonly port: {
    postMessage(message: ServiceMessage): void
    on(event: 'message', listener: (event: { data: unknown }) => void): unknown
  }
  readonly start: () => Promise<Running>
  readonly exit: (code: number) => void
}

/**
 * Runs the service in its own process: sends `ready` or `failed` once, and exits when it receives `close`.
 */
export async function hostService({ port, start, exit }: ServiceHost): Promise<void> {
  let closing: Promise<void> | null = null
  // `start` may also throw synchronously, for an invalid configuration; this makes it a rejection.
  const started = (async () => start())()
  port.on('message', ({ data }) => {
    if (!isCloseCommand(data)) return
    // Also closes a service that is still starting, because it may have opened files.
    closing ??= started
      .then((running) => running.close())
      .then(
        () => exit(0),
        () => exit(1),
      )
  })
  try {
    const { url } = await started
    if (closing === null) port.postMessage({ kind: 'ready', url })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    port.postMessage({ kind: 'failed', reason, ...lockHolder(error) })
    exit(1)
  }
}

/**
 * Returns `isLocked` true if the start failed because another process owns the data folder, with the URL of
 * that process (`server/db/engines/sqljs/lock/lock.ts`).
 */
function lockHolder(error: unknown): { isLocked: boolean; runningAt: string | null } {
  if (!(error instanceof Error && 'code' in error && error.code === 'locked'))
    return { isLocked: false, runningAt: null }
  return { isLocked: true, runningAt: 'url' in error && typeof error.url === 'string' ? error.url : null }
}
