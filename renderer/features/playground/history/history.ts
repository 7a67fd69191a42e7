import { z } from 'zod'
import { forgetKept, keep, keptNames, readKept } from '../../../lib/state/kept.ts'
import { createStore, type Store } from '../../../lib/state/store.ts'
import { newId, Results, Setup } from '../playground.state.ts'

/** The summary of one past run for the list; the whole entry is read when it is opened. */
const Line = z.object({
  id: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
  /** The beginning of the text. */
  text: z.string(),
  /** The key of the prompt that the text came from. */
  key: z.string().nullable(),
  columns: z.array(z.object({ model: z.string(), status: z.string() })),
  /** Size of the entry in characters. */
  size: z.number(),
})
export type HistoryLine = z.infer<typeof Line>
const Lines = z.array(Line)
const Entry = z.object({ setup: Setup, results: Results })
export type HistoryEntry = z.infer<typeof Entry>

/** The oldest entries are removed above either limit: number of entries, and characters of all entries. */
const mostEntries = 50
const mostCharacters = 20_000_000
const begins = 120

const listName = (owner: string): string => `playground.${owner}.history`
const entryName = (owner: string, id: string): string => `playground.${owner}.run.${id}`

/** The entries of the list; null until first read. */
export const historyLines: Store<readonly HistoryLine[] | null> = createStore<readonly HistoryLine[] | null>(
  null,
)

/** Reads the list of entries. It is not cached, because another tab may have changed it. */
export async function readHistory(owner: string): Promise<readonly HistoryLine[]> {
  const lines = (await readKept(listName(owner), Lines)) ?? []
  historyLines.set(lines)
  return lines
}

async function write(owner: string, lines: readonly HistoryLine[]): Promise<void> {
  let characters = 0
  const kept = lines.filter(({ size }, index) => {
    characters += size
    return index === 0 || (index < mostEntries && characters <= mostCharacters)
  })
  for (const gone of lines.filter((line) => !kept.includes(line))) await forgetKept(entryName(owner, gone.id))
  await keep(listName(owner), kept)
  historyLines.set(kept)
}

/** Adds a run to the history. `at` is its start in epoch milliseconds. */
export async function addToHistory(owner: string, setup: Setup, all: Results, at: number): Promise<void> {
  const results = Object.fromEntries(
    setup.columns.flatMap(({ id }) => (all[id] === undefined ? [] : [[id, all[id]]])),
  )
  const id = newId()
  const line: HistoryLine = {
    id,
    at,
    text: setup.content.trim().slice(0, begins),
    key: setup.subject?.key ?? null,
    columns: setup.columns.map((column) => ({
      model: results[column.id]?.model ?? column.model,
      status: results[column.id]?.status ?? 'none',
    })),
    size: JSON.stringify({ setup, results }).length,
  }
  await keep(entryName(owner, id), { setup, results })
  await write(owner, [line, ...(await readHistory(owner))])
}

/** Reads an entry; null if it no longer exists, for example because another tab removed it. */
export const readEntry = (owner: string, id: string): Promise<HistoryEntry | null> =>
  readKept(entryName(owner, id), Entry)

export async function removeEntry(owner: string, id: string): Promise<void> {
  await forgetKept(entryName(owner, id))
  await write(
    owner,
    (await readHistory(owner)).filter((line) => line.id !== id),
  )
}

export async function clearHistory(owner: string): Promise<void> {
  for (const name of await keptNames(entryName(owner, ''))) await forgetKept(name)
  await write(owner, [])
}
