import { z } from 'zod'
import { keep, readKept } from '../../lib/kept.ts'
import { createStore, type Store } from '../../lib/store.ts'
import { newId } from './playground.state.ts'

/**
 * A named set of values to try a prompt with, and what is expected of it. The service has no place for them, so they
 * stay in this browser and go elsewhere as a file of JSON lines.
 */
const fields = {
  name: z.string().trim().min(1).max(200),
  variables: z.record(z.string().min(1).max(128), z.string()),
  expected: z.string().max(100_000).default(''),
}
const Case = z.object({ id: z.string(), ...fields })
export type Case = z.infer<typeof Case>
const Line = z.object(fields)
const most = 500

/** Those of the prompt that is open; a text of one's own has a set too. */
export const cases: Store<readonly Case[]> = createStore<readonly Case[]>([])

const placeOf = (owner: string, prompt: string | undefined): string =>
  `playground.${owner}.cases.${prompt ?? 'own text'}`

export async function readCases(owner: string, prompt: string | undefined): Promise<void> {
  cases.set((await readKept(placeOf(owner, prompt), z.array(Case))) ?? [])
}

async function write(owner: string, prompt: string | undefined, next: readonly Case[]): Promise<void> {
  const kept = next.slice(0, most)
  await keep(placeOf(owner, prompt), kept)
  cases.set(kept)
}

/** A case of that name is replaced. */
export const saveCase = (owner: string, prompt: string | undefined, made: Omit<Case, 'id'>): Promise<void> =>
  write(owner, prompt, [{ ...made, id: newId() }, ...cases.get().filter(({ name }) => name !== made.name)])

export const removeCase = (owner: string, prompt: string | undefined, id: string): Promise<void> =>
  write(
    owner,
    prompt,
    cases.get().filter((one) => one.id !== id),
  )

/** One case per line. */
export const caseLines = (list: readonly Case[]): string =>
  list.map(({ name, variables, expected }) => `${JSON.stringify({ name, variables, expected })}\n`).join('')

type Parsed = {
  readonly cases: readonly Omit<Case, 'id'>[]
  readonly fault: { line: number; reason: string } | null
}

/** All of the file or nothing: the first line that is no case is named. */
export function parseCases(text: string): Parsed {
  const found: Omit<Case, 'id'>[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    try {
      const read = Line.safeParse(JSON.parse(line))
      if (!read.success) {
        const { path, message } = read.error.issues[0] ?? { path: [], message: '' }
        return { cases: [], fault: { line: index + 1, reason: `${path.join('.')}: ${message}` } }
      }
      found.push(read.data)
    } catch (error) {
      return { cases: [], fault: { line: index + 1, reason: String((error as Error).message) } }
    }
  }
  return { cases: found, fault: null }
}

export async function importCases(
  owner: string,
  prompt: string | undefined,
  found: readonly Omit<Case, 'id'>[],
): Promise<void> {
  const names = new Set(found.map(({ name }) => name))
  const others = cases.get().filter(({ name }) => !names.has(name))
  await write(owner, prompt, [...found.map((one) => ({ ...one, id: newId() })), ...others])
}
