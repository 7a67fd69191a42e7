import { z } from 'zod'
import { readStored, writeStored } from '../../../lib/state/persistentStorage.ts'
import { createStore, type Store } from '../../../lib/state/store.ts'
import { newId } from '../playground.state.ts'

/**
 * A named set of values for a prompt, with the expected response. The service does not store test cases: they
 * stay in this browser, and can be transferred as a JSON Lines file.
 */
const fields = {
  name: z.string().trim().min(1).max(200),
  // Without limits, so that whatever was saved can be read and imported again.
  variables: z.record(z.string(), z.string()),
  expected: z.string().default(''),
}
const Case = z.object({ id: z.string(), ...fields })
export type Case = z.infer<typeof Case>
const Line = z.object(fields)
const maxCases = 500

/** The test cases of the open prompt; text without a prompt has its own list. */
export const cases: Store<readonly Case[]> = createStore<readonly Case[]>([])

const casesKey = (owner: string, prompt: string | undefined): string =>
  `playground.${owner}.cases.${prompt ?? 'own text'}`

/** Loads the test cases of a prompt into `cases`. */
export async function readCases(owner: string, prompt: string | undefined): Promise<void> {
  cases.set((await readStored(casesKey(owner, prompt), z.array(Case))) ?? [])
}

/** Changes the stored cases, which another tab may have changed. */
async function update(
  owner: string,
  prompt: string | undefined,
  change: (stored: readonly Case[]) => readonly Case[],
): Promise<void> {
  await readCases(owner, prompt)
  cases.set(change(cases.get()).slice(0, maxCases))
  await writeStored(casesKey(owner, prompt), cases.get())
}

/** Saves test cases first in the list; they replace those with the same names. */
export function saveCases(
  owner: string,
  prompt: string | undefined,
  saved: readonly Omit<Case, 'id'>[],
): Promise<void> {
  const names = new Set(saved.map(({ name }) => name))
  const added = saved.map((testCase) => ({ ...testCase, id: newId() }))
  return update(owner, prompt, (stored) => [...added, ...stored.filter(({ name }) => !names.has(name))])
}

export const removeCase = (owner: string, prompt: string | undefined, id: string): Promise<void> =>
  update(owner, prompt, (stored) => stored.filter((testCase) => testCase.id !== id))

export const caseLines = (list: readonly Case[]): string =>
  list.map(({ name, variables, expected }) => `${JSON.stringify({ name, variables, expected })}\n`).join('')

type Parsed = {
  readonly cases: readonly Omit<Case, 'id'>[]
  readonly error: { line: number; reason: string } | null
}

/** Parses a file of test cases. Returns all of them, or the first invalid line, counted from 1. */
export function parseCases(text: string): Parsed {
  const found: Omit<Case, 'id'>[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    try {
      const parsed = Line.safeParse(JSON.parse(line))
      if (!parsed.success) {
        const { path, message } = parsed.error.issues[0] ?? { path: [], message: '' }
        return { cases: [], error: { line: index + 1, reason: `${path.join('.')}: ${message}` } }
      }
      found.push(parsed.data)
    } catch (error) {
      return { cases: [], error: { line: index + 1, reason: String((error as Error).message) } }
    }
  }
  return { cases: found, error: null }
}
