import { type Entries, type Entry, matters } from './entries.ts'
import { PromptdeckError } from './errors.ts'
import type { Frame, PromptFrame } from './frames.ts'
import { inTurns } from './in-turns.ts'
import type { Live } from './live.ts'
import type { Loader } from './loader.ts'
import type { Settings } from './options.ts'
import { now, type Timers } from './timers.ts'

/** Limits of keys in a frame: their number, and their bytes with space for the other fields. */
const mostKeys = 1_000
const mostKeyBytes = 60_000
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
  /** `heardAt`: time of the last received message. */
  disconnected(heardAt: number): void
  frame(frame: Frame): void
  /**
   * Reports the running version to the service: after each processed frame, and once per connection and
   * version.
   */
  acknowledge(entry: Entry, seq: number | null): void
  /** The keys to report as used: the newest ones that fit into a frame. */
  keys(): readonly string[]
}

/** Processes frames of the live connection: decides which keys to fetch again, and when. */
export function createWatch(deps: WatchDeps): Watch {
  const { settings, entries, loader, live, timers, onResync } = deps
  const { pollMs } = settings.timings
  let isCollecting = false

  const refreshAll = (which: readonly Entry[]): void => {
    // Mark all at once, so that none is served as current; fetch a few at a time.
    for (const entry of which) {
      entry.isCurrent = false
      entry.isCovered = false
    }
    // The only possible error is `Closed`, which needs no handling.
    inTurns(which, async (entry) => {
      loader.refresh(entry)
      await entry.flight
    }).catch(() => undefined)
  }

  const poll = (): void => {
    timers.after(pollMs, poll)
    if (live.line() !== null) return
    const due = entries.all().filter((entry) => matters(entry) && entry.failures.until <= now())
    // The only possible error is `Closed`.
    inTurns(due, (entry) => loader.load(entry, { isAside: true })).catch(() => undefined)
  }

  const heardOf = (frame: PromptFrame): void => {
    if (typeof frame.env === 'string' && frame.env !== settings.namespace) return
    const entry = loader.isPaging() ? entries.of(frame.key) : entries.find(frame.key)
    if (entry === undefined || frame.seq <= entry.heardSeq) return
    entry.heardSeq = frame.seq
    entry.touchedAt = now()
    if (frame.type === 'prompt.deleted') {
      entry.epoch += 1
      entry.isDue = false
      const error = new PromptdeckError(
        'NotFound',
        `${frame.key} was deleted. Publish it again, or ask for another key.`,
      )
      void loader.forget(entry, error, matters(entry))
      return
    }
    entry.missing = null
    entry.pending = { seq: frame.seq, version: frame.version }
    entry.isCurrent = false
    entry.isCovered = false
    loader.refresh(entry)
  }

  const subscribe = (): void => {
    if (isCollecting || live.line() === null) return
    isCollecting = true
    timers.after(collectMs, () => {
      isCollecting = false
      live.send({ type: 'subscribe', keys: keys() })
    })
  }

  const keys = (): readonly string[] => {
    let room = mostKeyBytes
    const all = entries.all().slice(-mostKeys)
    const first = all.findLastIndex(({ key }) => {
      room -= new TextEncoder().encode(JSON.stringify(key)).length + 1
      return room < 0
    })
    return all.slice(first + 1).map(({ key }) => key)
  }

  const acknowledge = (entry: Entry, seq: number | null): void => {
    const line = live.line()
    const version = entry.held?.prompt.version ?? null
    if (line === null || version === null) return
    const isTold = entry.acked?.line === line && entry.acked.version === version
    if (seq === null && (isTold || !entry.isCurrent)) return
    live.send({ type: 'ack', seq: seq ?? live.seq(), key: entry.key, version })
    entry.acked = { line, version }
  }

  entries.onNew(subscribe)

  return {
    start: () => void timers.after(pollMs, poll),
    connected(isResumed) {
      const stale: Entry[] = []
      for (const entry of entries.all()) {
        entry.failures.shorten()
        if (isResumed && entry.isCovered) {
          entry.isCurrent = true
          acknowledge(entry, null)
        } else if (entry.held !== null || entry.standIn !== null || entry.flight !== null) stale.push(entry)
        else if (entry.isDue) loader.refresh(entry)
      }
      refreshAll(stale)
    },
    disconnected(heardAt) {
      for (const entry of entries.all()) {
        if (!entry.isCurrent) continue
        entry.isCurrent = false
        entry.isCovered = true
        if (entry.held !== null) entry.held.at = Math.max(entry.held.at, heardAt)
      }
    },
    frame(frame) {
      if (frame.type === 'prompt') heardOf(frame.prompt)
      if (frame.type !== 'resync') return
      // Sequence numbers may restart after a restore of the service.
      for (const entry of entries.all()) entry.heardSeq = -1
      onResync(frame.seq)
      refreshAll(entries.all().filter(matters))
    },
    acknowledge,
    keys,
  }
}
