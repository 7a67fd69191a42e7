import type { Logger } from 'pino'
import type { Deletion } from '../../contract/system/settings.ts'
import type { Db } from '../db/types.ts'
import { newestEntry } from '../history/chain/audit.store.ts'
import type { History } from '../history/history.ts'
import { createSerialQueue, type SerialQueue } from '../lib/async/serial-queue.ts'
import type { Clock } from '../lib/clock.ts'
import { type Context, systemContext } from '../lib/context.ts'
import { hourMs, minuteMs } from '../lib/durations.ts'
import type { NewId } from '../lib/ids.ts'
import {
  advanced,
  type ClockState,
  type Pause,
  type Reading,
  resumed,
  trustedAfterMs,
} from './clock-state.ts'
import { readStored, writeStored } from './deletion-clock.store.ts'

const observeEveryMs = minuteMs
/** Interval of storing the state. A killed service loses at most this much of its running time. */
const storeEveryMs = hourMs

/** The time by which ages are measured. Everything that deletes by age uses it. */
export type DeletionClock = {
  /** Returns the time, or null while deletion is paused because the clock jumped. */
  now(): Date | null
  state(): Deletion
  /** Ends the pause, because an admin confirmed that the clock is right. */
  resume(ctx: Context): Promise<Deletion>
  /** Takes over the pause that another instance stored, or its end. */
  reload(): Promise<void>
  /** Stores the state a last time. Call it before the store closes. */
  close(): Promise<void>
}

export type DeletionClockDeps = {
  readonly db: Db
  readonly history: History
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Pick<Logger, 'warn' | 'info' | 'error'>
  /** Returns true if this instance stores the state and records pauses for all. By default it does. */
  readonly isLeader?: () => boolean
}

const isLeader = ({ deps }: State): boolean => deps.isLeader?.() ?? true

/** A change that is not in the audit log yet. */
type Unrecorded = { readonly note: Note; readonly ctx: Context }

type State = {
  readonly deps: DeletionClockDeps
  readonly queue: SerialQueue
  clockState: ClockState
  /** Time of the last attempt to store the state, on the monotonic clock. */
  triedAtMs: number | null
  unrecorded: readonly Unrecorded[]
}

/**
 * Observes the clock. A jump of more than a day pauses deletion. A day without a jump, or an admin, ends
 * the pause.
 */
export async function createDeletionClock(deps: DeletionClockDeps): Promise<DeletionClock> {
  const stored = (await readStored(deps.db.read)) ?? (await stateOfOlderStore(deps))
  const clockState = resumed(stored, readingOf(deps.clock))
  const queue = createSerialQueue()
  const state: State = { deps, queue, clockState, triedAtMs: null, unrecorded: [] }
  announce(state, stored?.pause ?? null)
  await queue.idle()
  const timer = setInterval(() => observe(state), observeEveryMs)
  timer.unref()
  return {
    now() {
      const { last, pause } = observe(state)
      return pause === null ? new Date(last.wallMs) : null
    },
    state: () => stateOf(observe(state)),
    resume: (ctx) => endPause(state, ctx),
    reload: () =>
      queue.run(async () => {
        const pause = (await readStored(deps.db.read))?.pause ?? null
        state.clockState = { ...state.clockState, pause }
      }),
    async close() {
      clearInterval(timer)
      state.clockState = advanced(state.clockState, readingOf(deps.clock))
      if (isLeader(state)) storeSoon(state)
      await queue.idle()
    },
  }
}

function readingOf(clock: Clock): Reading {
  const wallMs = clock.now().getTime()
  return { wallMs, monotonicMs: clock.monotonicMs?.() ?? wallMs }
}

function observe(state: State): ClockState {
  const before = state.clockState.pause
  state.clockState = advanced(state.clockState, readingOf(state.deps.clock))
  announce(state, before)
  return state.clockState
}

async function endPause(state: State, ctx: Context): Promise<Deletion> {
  const { pause } = observe(state)
  if (pause !== null) {
    state.clockState = { ...state.clockState, pause: null }
    state.unrecorded = [...state.unrecorded, { note: confirmed, ctx }]
    await store(state)
  }
  return stateOf(state.clockState)
}

/** Logs a change of the pause, and stores the state if it changed or was stored long ago. */
function announce(state: State, before: Pause | null): void {
  const { deps, clockState, triedAtMs } = state
  const note = noteOf(before, clockState.pause)
  if (note !== null) {
    deps.logger[note.after === 'paused' ? 'warn' : 'info']({}, note.summary)
  }
  if (!isLeader(state)) return
  if (note !== null) {
    const ctx = systemContext(new Date(clockState.last.wallMs), `clock_${deps.newId()}`)
    state.unrecorded = [...state.unrecorded, { note, ctx }]
  }
  const isLongAgo = triedAtMs === null || clockState.last.monotonicMs - triedAtMs >= storeEveryMs
  if (note !== null || isLongAgo) storeSoon(state)
}

/** Stores the state together with the audit entries of its changes. */
function store(state: State): Promise<void> {
  const { db, history } = state.deps
  return state.queue.run(async () => {
    const { last, pause } = state.clockState
    const notes = state.unrecorded
    await db.write(
      async (tx) => {
        await writeStored(tx.q, { wallMs: last.wallMs, pause })
        for (const { note, ctx } of notes) await history.record(tx, ctx, eventOf(note))
      },
      { evenWhenFull: true },
    )
    state.unrecorded = state.unrecorded.filter((entry) => !notes.includes(entry))
  })
}

function storeSoon(state: State): void {
  state.triedAtMs = state.clockState.last.monotonicMs
  store(state).catch((err: unknown) =>
    state.deps.logger.error({ err }, 'the state of the clock could not be stored'),
  )
}

/**
 * Returns the state of a store from before this clock existed: its newest audit entry shows when it last ran.
 */
async function stateOfOlderStore({ db }: DeletionClockDeps) {
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
      summary: 'Resumed deletion by age: the clock is correct again, or was steady for 24 hours',
    }
  }
  return null
}

const spanOf = (ms: number): string => {
  const hours = Math.round(Math.abs(ms) / hourMs)
  return hours < 96 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
const jumpOf = ({ shiftMs }: Pause): string =>
  shiftMs > 0
    ? `the clock is ${spanOf(shiftMs)} ahead of the time the service ran, or the machine was off or asleep`
    : `the clock moved back by ${spanOf(shiftMs)}`

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

function stateOf({ last, pause }: ClockState): Deletion {
  const service_time = new Date(last.wallMs).toISOString()
  if (pause === null) {
    const noPause = { paused_at: null, clock_shift_ms: null, resumes_in_ms: null, reason: null }
    return { status: 'running', service_time, ...noPause }
  }
  return {
    status: 'paused',
    service_time,
    paused_at: new Date(pause.pausedAtMs).toISOString(),
    clock_shift_ms: Math.round(pause.shiftMs),
    resumes_in_ms: Math.max(0, Math.round(trustedAfterMs - pause.ranMs)),
    reason: `Nothing is deleted by age: ${jumpOf(pause)}. Deletion resumes after 24 hours of uninterrupted operation, or when an admin confirms the clock in the settings.`,
  }
}
