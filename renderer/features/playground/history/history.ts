import { z } from 'zod'
import { deleteStored, readStored, storedNames, writeStored } from '../../../lib/state/persistentStorage.ts'
import { createStore, type Store } from '../../../lib/state/store.ts'
import { newId, Results, Setup, statuses } from '../playground.state.ts'

/** The summary of one past run for the list; the whole entry is read when it is opened. */
const Line = z.object({
  id: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
  /** The beginning of the text. */
  text: z.string(),
  /** The key of the prompt that the text came from. */
  key: z.string().nullable(),
  columns: z.array(z.object({ model: z.string(), status: z.enum([...statuses, 'none']) })),
  /** Size of the entry in characters. */
  size: z.number(),
})
export type HistoryLine = z.infer<typeof Line>
const Lines = z.array(Line)
const Entry = z.object({ setup: Setup, results: Results })
export type HistoryEntry = z.infer<typeof Entry>

/** The oldest entries are removed above either limit: number of entries, and characters of all entries. */
const maxEntries = 50
const maxCharacters = 20_000_000
const maxTextLength = 120

const listName = (owner: string): string => `playground.${owner}.history`
const entryName = (owner: string, id: string): string => `playground.${owner}.run.${id}`

/** The entries of the list; null until first read. */
export const historyLines: Store<readonly HistoryLine[] | null> = createStore<readonly HistoryLine[] | null>(
  null,
)

/** Reads the list of entries. It is not cached, because another tab may have changed it. */
export async function readHistory(owner: string): Promise<readonly HistoryLine[]> {
  const lines = (await readStored(listName(owner), Lines)) ?? []
  historyLines.set(lines)
  return lines
}

async function write(owner: string, lines: readonly HistoryLine[]): Promise<void> {
  let characters = 0
  const remaining = lines.filter(({ size }, index) => {
    characters += size
    return index === 0 || (index < maxEntries && characters <= maxCharacters)
  })
  for (const removed of lines.filter((line) => !remaining.includes(line)))
    await deleteStored(entryName(owner, removed.id))
  await writeStored(listName(owner), remaining)
  historyLines.set(remaining)
}

/** Adds a run to the history. `at` is its start in epoch milliseconds. */
export async function addToHistory(
  owner: string,
  setup: Setup,
  allResults: Results,
  at: number,
): Promise<void> {
  const results = Object.fromEntries(
    setup.columns.flatMap(({ id }) => (allResults[id] === undefined ? [] : [[id, allResults[id]]])),
  )
  const id = newId()
  const line: HistoryLine = {
    id,
    at,
    text: setup.content.trim().slice(0, maxTextLength),
    key: setup.subject?.key ?? null,
    columns: setup.columns.map((column) => ({
      model: results[column.id]?.model ?? column.model,
      status: results[column.id]?.status ?? 'none',
    })),
    size: JSON.stringify({ setup, results }).length,
  }
  await writeStored(entryName(owner, id), { setup, results })
  await write(owner, [line, ...(await readHistory(owner))])
}

/** Reads an entry; null if it no longer exists, for example because another tab removed it. */
export const readEntry = (owner: string, id: string): Promise<HistoryEntry | null> =>
  readStored(entryName(owner, id), Entry)

export async function removeEntry(owner: string, id: string): Promise<void> {
  await deleteStored(entryName(owner, id))
  await write(
    owner,
    (await readHistory(owner)).filter((line) => line.id !== id),
  )
}

export async function clearHistory(owner: string): Promise<void> {
  for (const name of await storedNames(entryName(owner, ''))) await deleteStored(name)
  await write(owner, [])
}
