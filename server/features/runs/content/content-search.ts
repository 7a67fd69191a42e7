import { join } from 'node:path'
import type { Query } from '../../../db/types.ts'
import type { PayloadEnd, PayloadListener } from '../payloads/payload-files.ts'
import type { ContentIndex, IndexProgress } from './content-index.ts'
import { createRowsOf } from './rows-of-lines.ts'
import { createContentThread } from './thread/content-thread.ts'

/** The content index of the run log, kept up to date with the payload files. */
export type ContentSearch = Pick<ContentIndex, 'candidates' | 'excerpts'> & {
  /** Observes the payload files. */
  readonly listener: PayloadListener
  /** Begins to index the payloads of an existing data folder. */
  start(): Promise<void>
  /**
   * Waits a moment for what was stored so far to be indexed. Returns null if nothing is captured: there is
   * nothing to search.
   */
  catchUp(): Promise<IndexProgress | null>
  /** Returns the state of the index without waiting. */
  progress(): Promise<IndexProgress | null>
  close(): Promise<void>
}

type ContentSearchDeps = {
  readonly q: Query
  readonly payloadFolder: string
  readonly storeId: string
  readonly ends: () => Promise<readonly PayloadEnd[]>
  readonly onError: (error: unknown) => void
}

/** Milliseconds from a stored payload until it is indexed, if no search needs it before. */
const followDelayMs = 500
/** Milliseconds that a search waits for the index. */
const catchUpMs = 150

export function createContentSearch(deps: ContentSearchDeps): ContentSearch {
  const { q, payloadFolder, storeId, ends, onError } = deps
  const index = createContentThread({
    payloads: payloadFolder,
    index: join(payloadFolder, 'index'),
    storeId,
    rowsOf: createRowsOf(q),
    onError,
  })
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  async function follow(): Promise<void> {
    timer = null
    const found = await ends()
    if (isClosed || found.length === 0) return
    index.follow(found)
  }

  async function waitFor(waitMs: number): Promise<IndexProgress | null> {
    const found = await ends()
    if (found.length === 0) return null
    return index.catchUp(found, waitMs)
  }

  return {
    candidates: index.candidates,
    excerpts: index.excerpts,
    start: follow,
    listener: {
      stored() {
        if (isClosed) return
        timer ??= setTimeout(() => void follow().catch(onError), followDelayMs).unref()
      },
      removing: (day) => index.remove(day),
    },
    catchUp: () => waitFor(catchUpMs),
    progress: () => waitFor(0),
    async close() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      await index.close()
    },
  }
}
