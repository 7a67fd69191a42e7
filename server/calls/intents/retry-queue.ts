import type { Run } from '../../../contract/runs/run.ts'
import type { Tx } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { Problem } from '../../lib/fail.ts'
import type { CallRecord, RecordCall } from './record.ts'

type Claim = (tx: Tx) => Promise<boolean>

export type RetryQueue = {
  /**
   * Adds a run to the log. If the store refuses it now, it is queued for a retry, and the error is thrown. Throws
   * `RecordedElsewhere` if `claim` returns false.
   */
  store(ctx: Context, record: CallRecord, claim: Claim): Promise<Run>
  /** Retries once more. A run that is still refused remains an intent until the next start. */
  close(): Promise<void>
}

export type RetryQueueDeps = {
  readonly record: RecordCall
  readonly onRun: (run: Run) => void
  readonly onError: (error: unknown) => void
}

/** Another instance recorded the call as interrupted, because this one had not been connected for a while. */
export class RecordedElsewhere extends Problem {
  constructor() {
    super('store.unavailable', {
      detail:
        'This instance of the service was not connected for a while, and another one recorded the call as interrupted.',
    })
  }
}

/** Returns true if a later attempt can succeed: a full store may have space then. */
const isRetried = (error: unknown): boolean =>
  error instanceof Problem && !(error instanceof RecordedElsewhere)

const retryIntervalMs = 5_000

type State = RetryQueueDeps & {
  readonly queue: (() => Promise<Run>)[]
  timer: NodeJS.Timeout | null
  /** The retry in progress. */
  retrying: Promise<void> | null
}

/** A retry queue of runs that the store refused. Their intents stay on disk until the runs are in the log. */
export function createRetryQueue(deps: RetryQueueDeps): RetryQueue {
  const { record, onRun, onError } = deps
  const state: State = { record, onRun, onError, queue: [], timer: null, retrying: null }
  return {
    async store(ctx, run, claim) {
      try {
        return await insert(state, ctx, run, claim)
      } catch (error) {
        onError(error)
        if (isRetried(error)) {
          state.queue.push(() => insert(state, ctx, run, claim))
          if (state.retrying === null) schedule(state)
        }
        throw error
      }
    },
    async close() {
      await state.retrying
      await retry(state)
      if (state.timer !== null) clearTimeout(state.timer)
    },
  }
}

async function insert(state: State, ctx: Context, record: CallRecord, claim: Claim): Promise<Run> {
  const run = await state.record(ctx, record, claim)
  if (run === null) throw new RecordedElsewhere()
  state.onRun(run)
  return run
}

function retry(state: State): Promise<void> {
  state.retrying ??= retryAll(state).finally(() => {
    state.retrying = null
    schedule(state)
  })
  return state.retrying
}

async function retryAll({ queue, onError }: State): Promise<void> {
  while (queue[0] !== undefined) {
    try {
      await queue[0]()
    } catch (error) {
      onError(error)
      if (isRetried(error)) return
    }
    queue.shift()
  }
}

function schedule(state: State): void {
  if (state.timer !== null) clearTimeout(state.timer)
  const isEmpty = state.queue.length === 0
  state.timer = isEmpty ? null : setTimeout(() => void retry(state), retryIntervalMs).unref()
}
