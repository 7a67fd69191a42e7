import type { EventsTable } from '../db/schema/events.ts'
import type { Query } from '../db/types.ts'
import type { Bus } from '../history/events/bus.ts'
import { eventsAfter, liveSeq, replayDepth } from '../history/events/events.store.ts'
import { toFrame } from '../history/events/replay.ts'
import type { RemoteChange } from './cluster.ts'
import type { Signal } from './signal.ts'
import { type NumberedSignal, newestSignal, signalsAfter } from './signals.store.ts'

export type ReaderDeps = {
  readonly q: Query
  readonly instanceId: string
  /** Receives the frames. */
  readonly bus: Pick<Bus, 'announce'>
  readonly onChange: (change: RemoteChange) => Promise<void>
  readonly onSignal: (signal: Signal) => void
}

type State = ReaderDeps & {
  /** Numbers of the newest frame and the newest signal that were handled. */
  seq: number
  signal: number
  /** Numbers of frames that this instance recorded and has not read yet. */
  readonly own: Set<number>
}

/** Reads frames and signals of all instances in the order of their commits. */
export type Reader = {
  /** Call it when this instance recorded a frame: the change has taken effect here. */
  noteOwn(seq: number): void
  /** Reads and handles what is new. Two reads never run at the same time. */
  read(): Promise<void>
  /** Returns the newest numbers that were handled, as the payload of a notification. */
  position(): string
  /** Returns true if everything that a payload announces was handled. */
  isRead(payload: string): boolean
}

/** Creates a reader that starts after the newest frame and signal. */
export async function createReader(deps: ReaderDeps): Promise<Reader> {
  const state: State = {
    ...deps,
    signal: await newestSignal(deps.q),
    seq: await liveSeq(deps.q),
    own: new Set(),
  }
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = (): Promise<void> => {
    running = readOnce(state).finally(() => {
      running = null
    })
    return running
  }
  return {
    noteOwn(seq) {
      if (seq > state.seq) state.own.add(seq)
    },
    read() {
      if (running === null) return start()
      // The running read may have missed the newest commit.
      next ??= running
        .catch(() => {})
        .then(() => {
          next = null
          return start()
        })
      return next
    },
    position: () => `${state.seq} ${state.signal}`,
    isRead(payload) {
      const [seq = Number.NaN, signal = Number.NaN] = payload.split(' ').map(Number)
      return seq <= state.seq && signal <= state.signal
    },
  }
}

async function readOnce(state: State): Promise<void> {
  const rows = await eventsAfter(state.q, { seq: state.seq })
  // Read after the frames, so that a signal is never handled later than the frames of its commit.
  const signals = await signalsAfter(state.q, state.signal)
  const isLost = await hasLost(state, rows[0]?.seq)
  handleSignals(state, signals)
  await handleFrames(state, rows, isLost)
}

/** Returns true if frames were deleted before this instance read them. Other gaps are normal. */
async function hasLost({ q, seq }: State, first: number | undefined): Promise<boolean> {
  return first !== undefined && first > seq + 1 && (await liveSeq(q)) - seq > replayDepth
}

function handleSignals(state: State, signals: readonly NumberedSignal[]): void {
  const [first] = signals
  if (first !== undefined && first.id > state.signal + 1)
    for (const signal of everything) state.onSignal(signal)
  for (const { id, instanceId, signal } of signals) {
    if (instanceId !== state.instanceId) state.onSignal(signal)
    state.signal = id
  }
}

/** The signals that an instance handles after it missed some. */
const everything: readonly Signal[] = [{ kind: 'providers' }]

async function handleFrames(state: State, rows: readonly EventsTable[], isLost: boolean): Promise<void> {
  const newest = rows.at(-1)?.seq
  if (newest === undefined) return
  if (isLost) {
    await state.onChange({ entity: 'workspace', id: null, userIds: [] })
    for (const entity of ['setting', 'provider', 'user'] as const)
      await state.onChange({ entity, id: null, userIds: [] })
  } else await handleChanges(state, rows)
  // The numbers are not needed any more, also those that were noted during this read.
  for (const seq of state.own) if (seq <= newest) state.own.delete(seq)
  state.seq = newest
  if (isLost) {
    state.bus.announce({ kind: 'lost', seq: newest })
    return
  }
  for (const row of rows) {
    const clientIds =
      row.client_ids === null ? {} : { clientIds: new Set<string>(JSON.parse(row.client_ids)) }
    state.bus.announce({ kind: 'frame', ...toFrame(row), ...clientIds })
  }
}

/** Applies the changes of other instances. Equal ones are applied once. */
async function handleChanges(state: State, rows: readonly EventsTable[]): Promise<void> {
  const changes = new Map<string, RemoteChange>()
  for (const row of rows) {
    const { frame, userIds = [] } = toFrame(row)
    if (frame.type !== 'changed' || state.own.has(row.seq)) continue
    const { entity, id } = frame
    changes.set(JSON.stringify([entity, id, userIds]), { entity, id, userIds })
  }
  for (const change of changes.values()) await state.onChange(change)
}
