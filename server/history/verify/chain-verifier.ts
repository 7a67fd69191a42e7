import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ChainReport, ChainState } from '../../../contract/system/audit.ts'
import type { Db } from '../../db/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { hourMs } from '../../lib/durations.ts'
import type { ChainKeys } from '../chain/chain-key.ts'
import type { HeadState } from '../chain/head-file.ts'
import { verifyChain } from './verify.ts'

/**
 * Length of a pause in the background, as a multiple of the work before it: verification uses at most a fifth
 * of a core.
 */
const pauseFactor = 4
const maxPauseMs = 200

/** Verifies the audit log in the background and on request. */
export type ChainVerifier = {
  /** Returns the state that every page of the audit log includes. */
  state(): ChainState
  /** Verifies now at full speed. Concurrent calls share one verification. */
  verify(): Promise<ChainReport>
  /** Verifies in the background now and each hour. */
  start(): void
  close(): Promise<void>
}

export type ChainVerifierDeps = {
  readonly db: Db
  readonly head: () => Promise<HeadState>
  readonly keys: ChainKeys
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error' | 'warn'>
  readonly intervalMs?: number
}

class Stopped extends Error {}

export function createChainVerifier(deps: ChainVerifierDeps): ChainVerifier {
  const { db, head, keys, clock, logger, intervalMs = hourMs } = deps
  const stop = new AbortController()
  let state: ChainState = { ok: null, status: null, unverifiable_before: null, verified_at: null }
  let foreground: Promise<ChainReport> | null = null
  let background: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | null = null

  const verify = async (pause: () => Promise<void>): Promise<ChainReport> => {
    const now = clock.now()
    const report = await verifyChain({
      q: db.read,
      keys,
      head,
      now,
      pause: async () => {
        if (stop.signal.aborted) throw new Stopped('The service is stopping')
        await pause()
      },
    })
    const { ok, status, unverifiable_before, reason } = report
    if (status === 'broken') logger.error({ report }, `The audit log does not verify: ${reason}`)
    if (status === 'unverifiable')
      logger.warn({ report }, `Part of the audit log cannot be verified: ${reason}`)
    state = { ok, status, unverifiable_before, verified_at: clock.now().toISOString() }
    return report
  }

  const throttledPause = () => {
    let resumed = performance.now()
    return async () => {
      const worked = performance.now() - resumed
      await sleep(Math.min(maxPauseMs, worked * pauseFactor), undefined, { ref: false })
      resumed = performance.now()
    }
  }

  const verifyInBackground = () => {
    background = background
      .then(() => verify(throttledPause()))
      .then(
        () => undefined,
        (err: unknown) => {
          if (!(err instanceof Stopped)) logger.error({ err }, 'the audit log could not be verified')
        },
      )
  }

  return {
    state: () => state,
    verify() {
      foreground ??= verify(() => nextTurn()).finally(() => {
        foreground = null
      })
      return foreground
    },
    start() {
      verifyInBackground()
      timer = setInterval(verifyInBackground, intervalMs)
      timer.unref()
    },
    async close() {
      if (timer !== null) clearInterval(timer)
      stop.abort()
      await Promise.allSettled([background, foreground])
    },
  }
}
