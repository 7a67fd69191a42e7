import type { ServerResponse } from 'node:http'

type Call = { readonly principal: string; readonly res: ServerResponse; readonly counted: Promise<unknown> }

export type UncountedCalls = ReturnType<typeof createUncountedCalls>

/**
 * The calls whose use is not counted yet. A caller has a reply before its run is stored, so the next call of that caller
 * waits for it: otherwise calls that are made one after the other could exceed a limit.
 */
export function createUncountedCalls() {
  const calls = new Set<Call>()
  return {
    /** Adds a call until `counted` settles. */
    add(call: Call): void {
      calls.add(call)
      void Promise.allSettled([call.counted]).then(() => calls.delete(call))
    },
    /** Resolves when the calls of a principal that have ended are counted. */
    async settle(principal: string): Promise<void> {
      const ended = [...calls].filter(
        (call) => call.principal === principal && (call.res.writableEnded || call.res.destroyed),
      )
      if (ended.length > 0) await Promise.allSettled(ended.map(({ counted }) => counted))
    },
  }
}
