import type { Entries, Entry } from './entries.ts'
import type { PromptdeckError } from './errors.ts'
import type { Timings } from './options.ts'
import type { Disk } from './platform.ts'
import type { Answer, Page, Service } from './service.ts'
import { now, type Timers } from './timers.ts'
import type { ServedPrompt, Update } from './types.ts'

export type LoaderDeps = {
  readonly entries: Entries
  readonly service: Service
  readonly disk: Disk
  readonly timers: Timers
  readonly timings: Timings
  /** Number of the open live connection; null if there is none. */
  readonly line: () => number | null
  readonly onUpdate: (update: Update) => void
  /** Called after a fetch; `seq` is that of the frame that caused it. */
  readonly onLoaded: (entry: Entry, seq: number | null) => void
}

export type Loader = {
  /**
   * Fetches a key, with one request for concurrent callers. Ignores the backoff. Throws only `Closed`.
   * `isAside`: no caller waits for the result, so the first version of a watched key is announced with an
   * update event.
   */
  load(entry: Entry, options?: { readonly isAside: boolean }): Promise<Answer>
  /** Schedules a fetch as soon as the backoff allows, and repeats it until it succeeds. */
  refresh(entry: Entry): void
  /** The service reports that the key is no longer served. */
  forget(entry: Entry, error: PromptdeckError, isAnnounced: boolean): Promise<void>
  /** Fetches one page of all served prompts. Skips those for which a newer change was received meanwhile. */
  loadPage(cursor: string | null): Promise<Page>
  /**
   * True while a page is being fetched: it may contain keys as they were before a change that is received
   * now.
   */
  isPaging(): boolean
}

/** Keeps memory and disk equal to the service: one fetch per key at a time, and none during a backoff. */
export function createLoader(deps: LoaderDeps): Loader {
  const { entries, service, disk, timers, timings, line, onUpdate, onLoaded } = deps
  let pages = 0

  const load: Loader['load'] = (entry, { isAside } = { isAside: false }) => {
    entry.flight ??= fly(entry, isAside).finally(() => {
      entry.flight = null
      if (entry.isDue) refresh(entry)
    })
    return entry.flight
  }

  /** Fetches without a waiting caller; the only possible error is `Closed`, which needs no handling. */
  const loadAside = (entry: Entry): void => void load(entry, { isAside: true }).catch(() => undefined)

  function refresh(entry: Entry): void {
    entry.isDue = true
    if (entry.flight !== null) return
    entry.cancelRetry?.()
    entry.cancelRetry = null
    const wait = entry.failures.until - now()
    if (wait <= 0) {
      loadAside(entry)
      return
    }
    entry.cancelRetry = timers.after(wait, () => {
      entry.cancelRetry = null
      if (entry.isDue) refresh(entry)
    })
  }

  async function fly(entry: Entry, isAside: boolean): Promise<Answer> {
    const { epoch, pending, isDue: wasDue } = entry
    const startedOn = line()
    entry.isDue = false
    const answer = await service.prompt(entry.key, entry.held?.prompt.etag ?? null)
    entry.touchedAt = now()
    if (entry.epoch !== epoch) return overtaken(entry, answer)
    if (answer.kind === 'failed') {
      entry.failures.failed(now(), answer.retryAfterMs)
      entry.lastError = answer.error
      entry.isDue ||= wasDue
      return answer
    }
    settle(entry)
    if (answer.kind === 'missing') {
      await forget(entry, answer.error, pending !== null)
      return answer
    }
    entry.isCurrent = startedOn !== null && startedOn === line() && !entry.isDue
    entry.isCovered = false
    if (answer.kind === 'prompt')
      await keep(entry, answer.prompt, pending !== null || (isAside && entry.isWatched))
    else if (entry.held !== null) entry.held.at = now()
    if (entry.epoch === epoch) worked(entry, pending)
    return answer
  }

  /** Also completes a frame that arrived during the fetch, if it announced the fetched version. */
  const worked = (entry: Entry, before: Entry['pending']): void => {
    const { pending } = entry
    const isDone = pending === before || pending?.version === entry.held?.prompt.version
    if (isDone) entry.pending = null
    onLoaded(entry, (isDone ? pending : before)?.seq ?? null)
  }

  const settle = (entry: Entry): void => {
    entry.failures.succeeded()
    entry.lastError = null
    entry.cancelRetry?.()
    entry.cancelRetry = null
  }

  /** A deletion received during the fetch is newer than the reply. */
  const overtaken = (entry: Entry, answer: Answer): Answer =>
    entry.missing === null ? answer : { kind: 'missing', error: entry.missing.error }

  async function keep(entry: Entry, prompt: ServedPrompt, isAnnounced: boolean): Promise<void> {
    const { epoch } = entry
    const before = entry.held?.prompt ?? entry.standIn
    const wasKnown = isAnnounced || before !== null || entry.missing !== null
    entry.held = { prompt, at: now() }
    entry.standIn = null
    entry.missing = null
    await disk.write(prompt)
    const isSame = before !== null && before.etag === prompt.etag && before.version === prompt.version
    if (entry.epoch !== epoch || isSame || !wasKnown) return
    onUpdate({
      key: entry.key,
      version: prompt.version,
      previousVersion: before?.version ?? null,
      prompt: { ...prompt, source: 'network' },
    })
  }

  async function forget(entry: Entry, error: PromptdeckError, isAnnounced: boolean): Promise<void> {
    const before = entry.held?.prompt ?? entry.standIn
    entry.held = null
    entry.standIn = null
    entry.missing = { error, until: now() + timings.negativeMs }
    entry.isCurrent = false
    entry.isCovered = false
    entry.pending = null
    entry.acked = null
    settle(entry)
    await disk.remove(entry.key)
    if (before === null && !isAnnounced) return
    onUpdate({ key: entry.key, version: null, previousVersion: before?.version ?? null, prompt: null })
  }

  async function keepPage(
    prompts: readonly ServedPrompt[],
    askedAt: number,
    startedOn: number | null,
  ): Promise<void> {
    for (const prompt of prompts) {
      const entry = entries.of(prompt.key)
      if (entry.touchedAt > askedAt) continue
      settle(entry)
      const isSameLine = startedOn === line()
      entry.isCurrent = startedOn !== null && isSameLine && !entry.isDue
      entry.isCovered = false
      await keep(entry, prompt, entry.pending !== null)
      onLoaded(entry, null)
      // Changes between the request and the new connection were not announced.
      if (!isSameLine && line() !== null) refresh(entry)
    }
  }

  return {
    load,
    refresh,
    forget,
    async loadPage(cursor) {
      pages += 1
      try {
        const askedAt = now()
        const startedOn = line()
        const page = await service.prompts(cursor)
        if (page.kind === 'page') await keepPage(page.prompts, askedAt, startedOn)
        return page
      } finally {
        pages -= 1
      }
    },
    isPaging: () => pages > 0,
  }
}
