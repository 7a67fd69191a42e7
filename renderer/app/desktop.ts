import type { QueryClient } from '@tanstack/react-query'
import type { DesktopBridge } from '../../contract/desktop.ts'
import { safeReturnPath } from '../lib/address.ts'
import { client } from '../lib/api.ts'
import type { SessionStore } from '../lib/session.ts'

/** However many runs fail, the service is asked about them, and the app told, once in this time, ms. */
const pauseMs = 60_000
/** Runs come in bursts: what fails together is told together, ms. */
const gatherMs = 2_000
/** A query of this key shows nothing; like all that begin with `run` it goes stale when a run comes in. */
const watched = ['run', 'watched for failures'] as const

type Parts = {
  readonly queries: QueryClient
  readonly session: SessionStore
  readonly go: (path: string) => void
}

/** What the console does for the desktop app around it: opens what the app names, tells of runs that failed. */
export function joinDesktop(desktop: DesktopBridge, { queries, session, go }: Parts): void {
  desktop.onOpen((path) => go(safeReturnPath(path)))

  /** Failures before this instant are known or were not asked for. */
  let since = new Date()
  let nextAt = 0
  let isWaiting = false
  const watch = () => queries.setQueryData(watched, null)

  const look = async () => {
    isWaiting = false
    nextAt = Date.now() + pauseMs
    const [from, to] = [since, new Date()]
    since = to
    watch()
    if (session.token() === null || (await desktop.state()).notifiesOfErrors !== true) return
    const query = { status: 'error', from: from.toISOString(), to: to.toISOString(), limit: 1 } as const
    const { data, total } = await client.runs.list({ query })
    const [newest] = data
    if (newest === undefined) return
    const name = (newest.ref_key ?? newest.model).slice(0, 200)
    await desktop.reportFailedRuns({ count: total, newestId: newest.id, name })
  }

  queries.setQueryDefaults(watched, { gcTime: Number.POSITIVE_INFINITY })
  queries.getQueryCache().subscribe((event) => {
    if (event.query.queryKey[1] !== watched[1] || isWaiting) return
    // Signing out empties the cache; whoever signs in next is told of what fails from then on.
    if (event.type === 'removed') queueMicrotask(watch)
    if (event.type !== 'updated' || event.action.type !== 'invalidate') return
    isWaiting = true
    // A look that fails costs one notification; the console itself says that the service is away.
    setTimeout(() => void look().catch(() => {}), Math.max(gatherMs, nextAt - Date.now()))
  })
  watch()
}
