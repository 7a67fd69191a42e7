import { isCloseCommand, type ServiceMessage } from './service-messages.ts'

type Running = { readonly url: string; close(): Promise<void> }

export type ServiceHost = {
  /** The utility process' port to the window's process. */
  readonly port: {
    postMessage(message: ServiceMessage): void
    on(event: 'message', listener: (event: { data: unknown }) => void): unknown
  }
  readonly start: () => Promise<Running>
  readonly exit: (code: number) => void
}

/** Runs the service in its own process: tells `ready` or `failed` once, and ends when told to close. */
export async function hostService({ port, start, exit }: ServiceHost): Promise<void> {
  let closing: Promise<void> | null = null
  // A configuration that is not valid fails at once, not later: both are told the same way.
  const started = (async () => start())()
  port.on('message', ({ data }) => {
    if (!isCloseCommand(data)) return
    // Also when it is still starting: what was opened must be closed.
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
    port.postMessage({ kind: 'failed', reason, ...holder(error) })
    exit(1)
  }
}

/** Returns whether the start failed because another process owns the data folder, and its URL (`server/db/lock/lock.ts`). */
function holder(error: unknown): { isLocked: boolean; runningAt: string | null } {
  if (!(error instanceof Error && 'code' in error && error.code === 'locked'))
    return { isLocked: false, runningAt: null }
  return { isLocked: true, runningAt: 'url' in error && typeof error.url === 'string' ? error.url : null }
}
