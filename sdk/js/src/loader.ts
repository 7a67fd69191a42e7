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
  /** Which live connection stands now; null: none. */
  readonly line: () => number | null
  readonly onUpdate: (update: Update) => void
  /** It was fetched; `seq`: of the frame that was worked off by it. */
  readonly onLoaded: (entry: Entry, seq: number | null) => void
}

export type Loader = {
  /**
   * Fetches a key once, however many ask. Heeds no wait; does not throw, but for `Closed`. `isAside`: nobody waits for the
   * answer, so that a watched key is told of when it is there for the first time.
   */
  load(entry: Entry, options?: { readonly isAside: boolean }): Promise<Answer>
  /** Sees to it that the key is fetched, as soon as its last failure allows, and until it succeeds. */
  refresh(entry: Entry): void
  /** The service says that it is no longer served. */
  forget(entry: Entry, error: PromptdeckError, isAnnounced: boolean): Promise<void>
  /** Fetches one page of all that is served, and keeps what of it nothing newer was heard of meanwhile. */
  loadPage(cursor: string | null): Promise<Page>
  /** A page is under way: it may bring any key as it was before a change that is heard of now. */
  isPaging(): boolean
}

/** Keeps memory and disk as the service has it: one fetch per key at a time, and none sooner than it may be. */
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

  /** Nobody waits for it; `Closed`, the only thing thrown, then means nothing. */
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

  /** What came meanwhile is worked off, too, when it told of just that version. */
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

  /** It was deleted while it was fetched: that is newer than the answer. */
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
      // Of what changed between the question and the connection nothing was told.
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
