import { useRef, useState } from 'react'
import { asApiError } from '../../lib/service/api.ts'

/** `skip` is the reason why a row is left out. */
export type BulkItem = { readonly id: string; readonly name: string; readonly skip?: string | undefined }
export type BulkResult = { readonly status: 'done' } | { readonly status: 'failed'; readonly error: unknown }

/** Returns a reason why no row can be included; null if one can. */
export const reasonForAll = (reasons: readonly (string | null)[]): string | null =>
  reasons.includes(null) ? null : (reasons[0] ?? null)

/**
 * True if the next items would fail too: the service is unreachable, also behind a proxy, or the session is over. The
 * item without a reply is then the next request, which repeats its idempotency key.
 */
const isFatal = (error: unknown): boolean => [0, 401, 502, 504].includes(asApiError(error)?.status ?? -1)

/** Runs an action on each item in sequence. A second start repeats those that have not succeeded. */
export function useBulk(items: readonly BulkItem[], run: (id: string) => Promise<unknown>) {
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map())
  const [isRunning, setRunning] = useState(false)
  const [isStarted, setStarted] = useState(false)
  const isStopped = useRef(false)
  const included = items.filter((item) => item.skip === undefined)
  const count = (all: ReadonlyMap<string, BulkResult>, status: BulkResult['status']): number =>
    [...all.values()].filter((result) => result.status === status).length

  const start = async (): Promise<{ readonly done: number; readonly remaining: number }> => {
    setStarted(true)
    setRunning(true)
    isStopped.current = false
    let current = results
    for (const { id } of included) {
      if (current.get(id)?.status === 'done') continue
      const result = await run(id).then(
        (): BulkResult => ({ status: 'done' }),
        (error: unknown): BulkResult => ({ status: 'failed', error }),
      )
      current = new Map(current).set(id, result)
      setResults(current)
      if (isStopped.current || (result.status === 'failed' && isFatal(result.error))) break
    }
    setRunning(false)
    const done = count(current, 'done')
    return { done, remaining: included.length - done }
  }
  const left = new Set(included.map(({ id }) => id).filter((id) => results.get(id)?.status !== 'done'))
  return {
    results,
    isRunning,
    isStarted,
    isEnded: isStarted && !isRunning,
    total: included.length,
    done: included.length - left.size,
    failed: count(results, 'failed'),
    /** Ids of the items that are neither done nor left out. */
    left,
    start,
    /** Stops after the current item. */
    stop: (): void => {
      isStopped.current = true
    },
  }
}
