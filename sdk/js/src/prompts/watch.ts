import { PromptdeckError } from '../core/errors.ts'
import type { Settings } from '../core/options.ts'
import { forEachConcurrently } from '../lib/concurrently.ts'
import { now, type Timers } from '../lib/timers.ts'
import type { Frame, PromptFrame } from '../live/frames.ts'
import type { Live } from '../live/live.ts'
import { type Entries, type Entry, isInUse } from './entries.ts'
import type { Loader } from './loader.ts'

/** Limits of keys in a frame: their number, and their bytes with space for the other fields. */
const maxKeys = 1_000
const maxKeyBytes = 60_000
/** Window in which new keys are collected into one frame. */
const collectMs = 10

export type WatchDeps = {
  readonly settings: Settings
  readonly entries: Entries
  readonly loader: Loader
  readonly live: Live
  readonly timers: Timers
  readonly onResync: (seq: number) => void
}

export type Watch = {
  /** Starts fetching keys again at intervals while there is no connection. */
  start(): void
  connected(isResumed: boolean): void
  /** `lastReceivedAt`: time of the last received message. */
  disconnected(lastReceivedAt: number): void
  frame(frame: Frame): void
  /**
   * Reports the running version to the service: after each processed frame, and once per connection and
   * version.
   */
  acknowledge(entry: Entry, seq: number | null): void
  /** The keys to report as used: the newest ones that fit into a frame. */
  keys(): readonly string[]
}

type State = WatchDeps & {
  /** True while new keys are collected for one frame. */
  isCollecting: boolean
}

/** Processes frames of the live connection: decides which keys to fetch again, and when. */
export function createWatch(deps: WatchDeps): Watch {
  const state: State = { ...deps, isCollecting: false }
  deps.entries.onNew(() => subscribe(state))
  return {
    start: () => void deps.timers.after(deps.settings.timings.pollMs, () => poll(state)),
    connected: (isResumed) => connected(state, isResumed),
    disconnected(lastReceivedAt) {
      for (const entry of deps.entries.all()) {
        if (!entry.isCurrent) continue
        entry.isCurrent = false
        entry.isCovered = true
        if (entry.cached !== null) entry.cached.at = Math.max(entry.cached.at, lastReceivedAt)
      }
    },
    frame(frame) {
      if (frame.type === 'prompt') receivePromptFrame(state, frame.prompt)
      if (frame.type === 'resync') resync(state, frame.seq)
    },
    acknowledge: (entry, seq) => acknowledge(state, entry, seq),
    keys: () => reportedKeys(state),
  }
}

function connected(state: State, isResumed: boolean): void {
  const outdated: Entry[] = []
  for (const entry of state.entries.all()) {
    entry.failures.shorten()
    if (isResumed && entry.isCovered) {
      entry.isCurrent = true
      acknowledge(state, entry, null)
    } else if (entry.cached !== null || entry.substitute !== null || entry.request !== null)
      outdated.push(entry)
    else if (entry.isDue) state.loader.refresh(entry)
  }
  refreshAll(state, outdated)
}

function refreshAll({ loader }: State, entries: readonly Entry[]): void {
  // Mark all at once, so that none is served as current; fetch a few at a time.
  for (const entry of entries) {
    entry.isCurrent = false
    entry.isCovered = false
  }
  // The only possible error is `Closed`, which needs no handling.
  forEachConcurrently(entries, async (entry) => {
    loader.refresh(entry)
    await entry.request
  }).catch(() => undefined)
}

function poll(state: State): void {
  const { entries, live, loader, settings, timers } = state
  timers.after(settings.timings.pollMs, () => poll(state))
  if (live.connectionNumber() !== null) return
  const due = entries.all().filter((entry) => isInUse(entry) && entry.failures.until <= now())
  // The only possible error is `Closed`.
  forEachConcurrently(due, (entry) => loader.load(entry, { isBackground: true })).catch(() => undefined)
}

function receivePromptFrame({ entries, loader, settings }: State, frame: PromptFrame): void {
  if (typeof frame.env === 'string' && frame.env !== settings.namespace) return
  const entry = loader.isPaging() ? entries.of(frame.key) : entries.find(frame.key)
  if (entry === undefined || frame.seq <= entry.lastSeq) return
  entry.lastSeq = frame.seq
  entry.changedAt = now()
  if (frame.type === 'prompt.deleted') {
    entry.epoch += 1
    entry.isDue = false
    const error = new PromptdeckError(
      'NotFound',
      `${frame.key} was deleted. Publish it again, or use another key.`,
    )
    void loader.markMissing(entry, error, isInUse(entry))
    return
  }
  entry.missing = null
  entry.pending = { seq: frame.seq, version: frame.version }
  entry.isCurrent = false
  entry.isCovered = false
  loader.refresh(entry)
}

function resync(state: State, seq: number): void {
  const { entries, onResync } = state
  // Sequence numbers may restart after a restore of the service.
  for (const entry of entries.all()) entry.lastSeq = -1
  onResync(seq)
  refreshAll(state, entries.all().filter(isInUse))
}

function subscribe(state: State): void {
  const { live, timers } = state
  if (state.isCollecting || live.connectionNumber() === null) return
  state.isCollecting = true
  timers.after(collectMs, () => {
    state.isCollecting = false
    live.send({ type: 'subscribe', keys: reportedKeys(state) })
  })
}

function reportedKeys({ entries }: State): readonly string[] {
  let freeBytes = maxKeyBytes
  const newest = entries.all().slice(-maxKeys)
  const excluded = newest.findLastIndex(({ key }) => {
    freeBytes -= new TextEncoder().encode(JSON.stringify(key)).length + 1
    return freeBytes < 0
  })
  return newest.slice(excluded + 1).map(({ key }) => key)
}

function acknowledge({ live }: State, entry: Entry, seq: number | null): void {
  const connection = live.connectionNumber()
  const version = entry.cached?.prompt.version ?? null
  if (connection === null || version === null) return
  const isReported = entry.acked?.connection === connection && entry.acked.version === version
  if (seq === null && (isReported || !entry.isCurrent)) return
  live.send({ type: 'ack', seq: seq ?? live.seq(), key: entry.key, version })
  entry.acked = { connection, version }
}
