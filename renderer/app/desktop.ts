import type { QueryClient } from '@tanstack/react-query'
import type { DesktopBridge, RemoteBridge } from '../../contract/system/desktop.ts'
import { safeReturnPath } from '../lib/page/address.ts'
import { client } from '../lib/service/api.ts'
import type { SessionStore } from '../lib/session/session.ts'

/** Shortest time between two requests for failed runs, in milliseconds. */
const minIntervalMs = 60_000
/** Delay before a request, in milliseconds, so that the failures of a burst are reported together. */
const batchDelayMs = 2_000
/** Key of a query that displays nothing. It begins with `run`, so it is invalidated when a run arrives. */
const failureWatchKey = ['run', 'watched for failures'] as const

type Dependencies = {
  readonly queries: QueryClient
  readonly session: SessionStore
  readonly go: (path: string) => void
}

/**
 * Signs in as the user of the pairing with this service, unless there is a session. If the app returns no
 * token, the sign-in page is displayed.
 */
export async function signInWithApp(app: RemoteBridge, session: SessionStore): Promise<void> {
  await session.ready
  if (session.token() !== null) return
  const token = await app.signIn().catch(() => null)
  if (token !== null) session.signIn(token)
}

/** Connects the console to the desktop app: opens pages that the app requests, and reports failed runs. */
export function connectDesktop(
  desktop: DesktopBridge | RemoteBridge,
  { queries, session, go }: Dependencies,
): void {
  desktop.onOpen((path) => go(safeReturnPath(path)))

  /** Start of the next request's period. Earlier failures are reported, or older than this page. */
  let since = new Date()
  let nextAt = 0
  let isWaiting = false
  const registerQuery = () => queries.setQueryData(failureWatchKey, null)

  const notifyOfFailures = async () => {
    isWaiting = false
    nextAt = Date.now() + minIntervalMs
    const [from, to] = [since, new Date()]
    since = to
    registerQuery()
    if (session.token() === null || (await desktop.state()).notifiesOfErrors !== true) return
    const query = { status: 'error', from: from.toISOString(), to: to.toISOString(), limit: 1 } as const
    const { data, total } = await client.runs.list({ query })
    const [newest] = data
    if (newest === undefined) return
    const name = (newest.ref_key ?? newest.model).slice(0, 200)
    await desktop.reportFailedRuns({ count: total, newestId: newest.id, name })
  }

  queries.setQueryDefaults(failureWatchKey, { gcTime: Number.POSITIVE_INFINITY })
  queries.getQueryCache().subscribe((event) => {
    if (event.query.queryKey[1] !== failureWatchKey[1] || isWaiting) return
    // Signing out clears the cache. The query is added again for the next user.
    if (event.type === 'removed') queueMicrotask(registerQuery)
    if (event.type !== 'updated' || event.action.type !== 'invalidate') return
    isWaiting = true
    // A failed request loses one notification. The console itself shows that the service is unreachable.
    setTimeout(() => void notifyOfFailures().catch(() => {}), Math.max(batchDelayMs, nextAt - Date.now()))
  })
  registerQuery()
}
