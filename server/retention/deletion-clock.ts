import type { Logger } from 'pino'
import type { Deletion } from '../../contract/settings.ts'
import type { Db } from '../db/types.ts'
import { newestEntry } from '../history/audit.store.ts'
import type { History } from '../history/history.ts'
import type { Clock } from '../lib/clock.ts'
import { type Context, systemContext } from '../lib/context.ts'
import type { NewId } from '../lib/ids.ts'
import { readKept, writeKept } from './deletion-clock.store.ts'
import { advanced, type Pause, type Reading, resumed, type Steadiness, steadyMs } from './steadiness.ts'

const observeEveryMs = 60_000
/** Interval of storing the state. A killed service loses at most this much of its running time. */
const keepEveryMs = 3_600_000

/** The time by which ages are measured. Everything that deletes by age uses it. */
export type DeletionClock = {
  /** Returns the time, or null while deletion is paused because the clock jumped. */
  now(): Date | null
  state(): Deletion
  /** Ends the pause, because an admin confirmed that the clock is right. */
  resume(ctx: Context): Promise<Deletion>
  /** Stores the state a last time. Call it before the store closes. */
  close(): Promise<void>
}

export type DeletionClockDeps = {
  readonly db: Db
  readonly history: History
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Pick<Logger, 'warn' | 'info' | 'error'>
}

/**
 * Observes the clock. A jump of more than a day pauses deletion. A day of steady running, or an admin, ends
 * the pause.
 */
export async function createDeletionClock(deps: DeletionClockDeps): Promise<DeletionClock> {
  const { db, clock, newId, logger } = deps
  const read = (): Reading => {
    const wallMs = clock.now().getTime()
    return { wallMs, monotonicMs: clock.monotonicMs?.() ?? wallMs }
  }
  const kept = (await readKept(db.read)) ?? (await olderStore(deps))
  let state: Steadiness = resumed(kept, read())
  let triedAtMs: number | null = null
  /** Changes that are not in the audit log yet. */
  let unrecorded: readonly { readonly note: Note; readonly ctx: Context }[] = []
  let turn: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work)
    turn = result.catch(() => undefined)
    return result
  }
  const store = (): Promise<void> =>
    inTurn(async () => {
      const { last, pause } = state
      const notes = unrecorded
      await db.write(
        async (tx) => {
          await writeKept(tx.q, { wallMs: last.wallMs, pause })
          for (const { note, ctx } of notes) await deps.history.record(tx, ctx, eventOf(note))
        },
        { evenWhenFull: true },
      )
      unrecorded = unrecorded.filter((each) => !notes.includes(each))
    })
  const storeSoon = () => {
    triedAtMs = state.last.monotonicMs
    store().catch((err: unknown) => logger.error({ err }, 'the state of the clock could not be stored'))
  }
  const announce = (before: Pause | null) => {
    const note = noteOf(before, state.pause)
    if (note !== null) {
      logger[note.after === 'paused' ? 'warn' : 'info']({}, note.summary)
      const ctx = systemContext(new Date(state.last.wallMs), `clock_${newId()}`)
      unrecorded = [...unrecorded, { note, ctx }]
    }
    const isLongAgo = triedAtMs === null || state.last.monotonicMs - triedAtMs >= keepEveryMs
    if (note !== null || isLongAgo) storeSoon()
  }
  const observe = () => {
    const before = state.pause
    state = advanced(state, read())
    announce(before)
  }

  announce(kept?.pause ?? null)
  await turn
  const timer = setInterval(observe, observeEveryMs)
  timer.unref()
  return {
    now() {
      observe()
      return state.pause === null ? new Date(state.last.wallMs) : null
    },
    state() {
      observe()
      return stateOf(state)
    },
    async resume(ctx) {
      observe()
      const { pause } = state
      if (pause !== null) {
        state = { ...state, pause: null }
        unrecorded = [...unrecorded, { note: confirmed, ctx }]
        await store()
      }
      return stateOf(state)
    },
    async close() {
      clearInterval(timer)
      state = advanced(state, read())
      storeSoon()
      await turn
    },
  }
}

/**
 * Returns the state of a store from before this clock existed: its newest audit entry shows when it last ran.
 */
async function olderStore({ db }: DeletionClockDeps) {
  const newest = await newestEntry(db.read)
  return newest === undefined ? null : { wallMs: newest.created_at, pause: null }
}

type Status = Deletion['status']
type Note = { readonly before: Status; readonly after: Status; readonly summary: string }

const confirmed: Note = {
  before: 'paused',
  after: 'running',
  summary: 'Resumed deletion by age: the clock was confirmed',
}

/** Describes the change between two states; null if there is none. */
function noteOf(before: Pause | null, after: Pause | null): Note | null {
  if (after !== null && before?.shiftMs !== after.shiftMs && (before === null || after.ranMs === 0)) {
    return {
      before: before === null ? 'running' : 'paused',
      after: 'paused',
      summary: `Paused deletion by age: ${jumpOf(after)}`,
    }
  }
  if (before !== null && after === null) {
    return {
      before: 'paused',
      after: 'running',
      summary: 'Resumed deletion by age: the clock is steady again',
    }
  }
  return null
}

const hourMs = 3_600_000
const spanOf = (ms: number): string => {
  const hours = Math.round(Math.abs(ms) / hourMs)
  return hours < 96 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
const jumpOf = ({ shiftMs }: Pause): string =>
  shiftMs > 0
    ? `the clock is ${spanOf(shiftMs)} ahead of the time the service ran, or the machine was off or asleep`
    : `the clock went back by ${spanOf(shiftMs)}`

const eventOf = ({ before, after, summary }: Note) =>
  ({
    action: 'setting_change',
    resource: 'setting',
    resourceId: 'deletion',
    key: 'deletion',
    summary,
    before: { deletion: before },
    after: { deletion: after },
  }) as const

function stateOf({ last, pause }: Steadiness): Deletion {
  const service_time = new Date(last.wallMs).toISOString()
  if (pause === null) {
    const nothing = { paused_at: null, clock_shift_ms: null, resumes_in_ms: null, reason: null }
    return { status: 'running', service_time, ...nothing }
  }
  return {
    status: 'paused',
    service_time,
    paused_at: new Date(pause.pausedAtMs).toISOString(),
    clock_shift_ms: Math.round(pause.shiftMs),
    resumes_in_ms: Math.max(0, Math.round(steadyMs - pause.ranMs)),
    reason: `Nothing is deleted by age: ${jumpOf(pause)}. Deletion resumes after 24 hours of steady running, or when an admin confirms the clock in the settings.`,
  }
}
