import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import {
  type ContentIndex,
  createContentIndex,
} from '../../../../server/features/runs/content/content-index.ts'
import { parseContentQuery } from '../../../../server/features/runs/content/content-query.ts'
import type { IndexFolders } from '../../../../server/features/runs/content/day/open-days.ts'
import { createPayloads, type Payloads } from '../../../../server/features/runs/payloads/payload-files.ts'
import { day, noon } from '../runs-support.ts'

/** Payload files and their index, with the runs in a map instead of a database. */
export type Archive = {
  /** Folder of the index. */
  folder: string
  readonly payloads: Payloads
  /** The runs by day and offset. */
  readonly rows: Map<string, { created_at: number; id: number; text: string }>
  readonly errors: Error[]
  index: ContentIndex
  /** Stores outputs as one append, on a day after `noon`, and returns their ids. */
  add(texts: readonly string[], daysLater?: number, createdAt?: (index: number) => number): Promise<number[]>
  /** Returns the ids of the matching runs, in order. */
  find(text: string, direction?: 'asc' | 'desc'): Promise<number[]>
  /** Opens the index again, as after a restart. `storeId` is that of the store. */
  reopen(storeId?: string): void
  /** Opens a copy of the folder as it is at this moment. The previous index continues in its own folder. */
  crash(): void
  /** Waits until everything is indexed. */
  complete(): Promise<void>
  files(): Promise<string[]>
  /** Waits until everything is indexed, and a number of segments is on the disk. */
  written(count: number): Promise<void>
}

export async function openArchive(): Promise<Archive> {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-content-'))
  const errors: Error[] = []
  const rows: Archive['rows'] = new Map()
  const limits = { days: 90, totalBytes: 1e9, payloadBytes: 1024 * 1024 }
  await mkdir(join(folder, 'payloads'))
  const payloadFolder = join(folder, 'payloads')
  let lastId = 0
  const indexFolder = join(payloadFolder, 'index')
  const openIndex = (storeId: string, index: string) =>
    openIndexOf({ payloads: payloadFolder, index, storeId }, rows, errors)
  const crashed: ContentIndex[] = []
  const archive: Archive = {
    folder: indexFolder,
    payloads: createPayloads(payloadFolder, () => limits, {
      stored: () => {},
      removing: (dayNumber) => archive.index.remove(dayNumber),
    }),
    rows,
    errors,
    index: openIndex('store-1', indexFolder),
    async add(texts, daysLater = 0, createdAt = (index) => noon + daysLater * day + index) {
      const first = lastId + 1
      lastId += texts.length
      const lines = texts.map((output, index) => ({ owner: `run:${first + index}`, input: null, output }))
      const stored = await archive.payloads.append(new Date(noon + daysLater * day), lines)
      return texts.map((text, index) => {
        const location = stored[index]
        if (!location) throw new Error('not stored')
        const row = { id: first + index, created_at: createdAt(index), text }
        rows.set(`${location.day} ${location.offset}`, row)
        return row.id
      })
    },
    find: (text, direction = 'desc') => find(archive.index, text, direction),
    reopen(storeId = 'store-1') {
      archive.index = openIndex(storeId, archive.folder)
    },
    crash() {
      crashed.push(archive.index)
      const copy = join(folder, `index-${crashed.length}`)
      if (existsSync(archive.folder)) cpSync(archive.folder, copy, { recursive: true })
      archive.folder = copy
      archive.index = openIndex('store-1', copy)
    },
    async complete() {
      const { indexedBytes, totalBytes } = await archive.index.catchUp(await archive.payloads.ends(), 20_000)
      if (indexedBytes !== totalBytes) throw new Error(`${indexedBytes} of ${totalBytes} bytes are indexed`)
    },
    files: async () => (await readdir(archive.folder)).filter((name) => name !== 'store.json').sort(),
    async written(count) {
      await archive.complete()
      await expect.poll(async () => (await archive.files()).length).toBe(count)
    },
  }
  onTestFinished(async () => {
    for (const index of [...crashed, archive.index]) await index.close()
    await archive.payloads.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return archive
}

const openIndexOf = (folders: IndexFolders, rows: Archive['rows'], errors: Error[]): ContentIndex =>
  createContentIndex({
    ...folders,
    rowsOf: async (dayNumber, refs) =>
      new Map(
        refs.flatMap(({ id, offset }) => {
          const row = rows.get(`${dayNumber} ${offset}`)
          return row === undefined || (id !== null && id !== row.id) ? [] : [[offset, row] as const]
        }),
      ),
    onError: (error) => errors.push(error),
    retryMs: 0,
  })

async function find(index: ContentIndex, text: string, direction: 'asc' | 'desc'): Promise<number[]> {
  const query = parseContentQuery(text)
  if (query === null) return []
  const found: number[] = []
  let after: { created_at: number; id: number } | null = null
  for (;;) {
    const options = { direction, after, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 7 }
    const candidates = await index.candidates(query, options)
    const lines = candidates.map((candidate) => ({ ...candidate, owner: `run:${candidate.id}` }))
    const excerpts = await index.excerpts(query, lines)
    found.push(...candidates.filter((_, n) => excerpts[n]).map(({ id }) => id))
    after = candidates.at(-1) ?? null
    if (candidates.length < options.limit) return found
  }
}
