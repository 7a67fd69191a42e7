import type { QueryClient } from '@tanstack/react-query'
import { environments } from '../../../contract/common/environments.ts'
import type { Prompt } from '../../../contract/prompts/prompt.ts'
import type { RunDetail } from '../../../contract/runs/run.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { samplesOf } from '../../lib/state/samples.ts'
import { promptQuery } from '../../shared/prompts/prompt.queries.ts'
import { providerChoicesQuery } from '../../shared/providers/providers.ts'
import { typedParameters } from './column/parameters.ts'
import { type Base, hasTextOf, isUnedited, namesIn } from './column/request.ts'
import { addToHistory, readEntry, readHistory } from './history/history.ts'
import { fetchBase } from './input/base.ts'
import { inputOf } from './input/input.ts'
import { emptySetup, isBlank, newColumn, type Setup, textPatch } from './playground.state.ts'
import type { PlaygroundSession } from './session.ts'

/**
 * Saves the current setup to the history before it is replaced, unless it is blank, unchanged or saved
 * already.
 */
export async function saveToHistory(session: PlaygroundSession, queries: QueryClient): Promise<void> {
  const setup = session.setup.get()
  if (isBlank(setup)) return
  const { subject, messages } = setup
  const base =
    subject === null ? null : await fetchBase(queries, subject.id, subject.version).catch(() => null)
  if (base !== null && isUnedited(setup, base) && messages.length === 0) return
  const newest = (await readHistory(session.owner))[0]
  const last = newest === undefined ? null : await readEntry(session.owner, newest.id)
  const contentOf = ({ content, chat, params, messages, values }: Setup): string =>
    JSON.stringify([content, chat, params, messages, values])
  if (last !== null && contentOf(last.setup) === contentOf(setup)) return
  await addToHistory(session.owner, setup, session.results(), Date.now())
}

/** Counts what was opened, to drop a prompt that loads after something else was chosen. */
let openings = 0

/** Returns the version to open by default: the draft, or the served version if there is no draft. */
const defaultVersion = (prompt: Pick<Prompt, 'has_draft' | 'version'>): string =>
  prompt.has_draft || prompt.version === null ? 'draft' : prompt.version

/**
 * Selects the first provider that offers the prompt's model, unless a model or provider was chosen already.
 */
async function columnsFor(
  setup: Setup,
  model: string | null,
  queries: QueryClient,
): Promise<Setup['columns']> {
  const columns = setup.columns.map((column) => ({ ...column, version: null }))
  const [only] = columns
  if (model === null || only === undefined || columns.length > 1 || only.provider + only.model !== '')
    return columns
  const choices = await queries.ensureQueryData(providerChoicesQuery).catch(() => [])
  const match = choices.find((choice) => choice.configured && choice.models.includes(model))
  return match === undefined ? columns : [{ ...only, provider: match.name, model }]
}

/** Returns the setup with the text or chat of a prompt, and its parameters, in place of the current ones. */
export const withBase = (setup: Setup, base: Base, key: string): Setup => ({
  ...setup,
  subject: { id: base.id, key, version: base.version },
  ...textPatch(base.content, base.messages),
  params: base.params,
  declared: [...base.variables],
  origin: null,
})

/**
 * Replaces the text with a prompt; values, messages and models stay. Resolves to false if the prompt does not
 * exist.
 */
export async function openPrompt(
  session: PlaygroundSession,
  queries: QueryClient,
  id: string,
  requestedVersion?: string,
): Promise<boolean> {
  openings += 1
  const opening = openings
  const knownPrompt = await queries.ensureQueryData(promptQuery(id)).catch((error: unknown) => {
    if (requestedVersion === undefined) throw error
    return null
  })
  const version = requestedVersion ?? (knownPrompt === null ? 'draft' : defaultVersion(knownPrompt))
  const base = await fetchBase(queries, id, version)
  if (base === null) return false
  const prompt = await queries.ensureQueryData(promptQuery(id))
  await saveToHistory(session, queries)
  const columns = await columnsFor(session.setup.get(), prompt.model, queries)
  if (opening !== openings) return true
  const before = session.setup.get()
  session.replace(
    {
      ...withBase(before, base, prompt.key),
      values: { ...samplesOf(session.owner, id), ...before.values },
      columns,
    },
    before.subject?.id === id ? session.results() : {},
  )
  return true
}

type RunPrompt = { readonly base: Base; readonly prompt: Prompt; readonly isOneOfMany: boolean }

/**
 * Returns the prompt of a run, null if there is none. If the run has no environment, the first one with that
 * version is taken: prod, test, dev.
 */
async function promptOf(run: RunDetail, queries: QueryClient): Promise<RunPrompt | null> {
  if (run.ref_key === null || run.source === 'agent' || run.source === 'workflow') return null
  const { data } = await client.prompts.list({ query: { workspace: run.workspace_id, key: run.ref_key } })
  const possibleEnvs = environments.toReversed().filter((env) => run.env === null || run.env === env)
  for (const env of possibleEnvs) {
    const row = data.find((candidate) => candidate.env === env)
    if (row === undefined) continue
    const version = run.version ?? row.version ?? 'draft'
    const base = await fetchBase(queries, row.id, version)
    if (base === null) continue
    const prompt = await queries.ensureQueryData(promptQuery(row.id))
    return { base, prompt, isOneOfMany: run.env === null && data.length > 1 }
  }
  return null
}

/** Returns the setup with the captured input of a run. Adds a note for each lost part to `notes`. */
function withInput(
  before: Setup,
  input: NonNullable<ReturnType<typeof inputOf>>,
  run: RunDetail,
  runPrompt: RunPrompt | null,
  notes: string[],
): Setup {
  notes.push(...input.notes)
  const { tools, schema } = input
  const isChat = input.chat !== null && (runPrompt?.base.messages != null || !input.isPlain)
  const plain: Setup = {
    ...before,
    ...textPatch(input.content, isChat ? input.chat : null),
    messages: isChat ? [] : [...input.messages],
    tools,
    schema,
  }
  // A redacted input equals the template: open the prompt, and ask for the values.
  const setup =
    runPrompt !== null && hasTextOf(plain, runPrompt.base)
      ? withBase(plain, runPrompt.base, runPrompt.prompt.key)
      : plain
  const names = namesIn({ content: setup.content, messages: setup.chat })
  const variableNames = new Set(run.variables ?? (setup.subject === null ? [] : names))
  const literalNames = names.filter((name) => !variableNames.has(name))
  if (literalNames.length < names.length) notes.push(t('playground:origin.redacted'))
  return { ...setup, values: Object.fromEntries(literalNames.map((name) => [name, `{{${name}}}`])) }
}

/** Returns notes about what was opened for a run whose input was not captured. */
function notesWithoutInput(run: RunDetail, runPrompt: RunPrompt | null): readonly string[] {
  if (runPrompt === null)
    return run.ref_key === null
      ? [t('playground:origin.not_captured')]
      : [t('playground:origin.not_captured_gone', { key: run.ref_key, source: run.source })]
  const { base, prompt, isOneOfMany } = runPrompt
  return [
    t('playground:origin.not_captured_prompt', { key: prompt.key, version: base.version }),
    ...(base.version === 'draft' ? [t('playground:origin.draft')] : []),
    ...(isOneOfMany ? [t('playground:origin.env', { env: prompt.env })] : []),
  ]
}

/** Replaces the whole setup with a run of the log, as far as its input was captured. */
export async function openRun(session: PlaygroundSession, queries: QueryClient, id: string): Promise<void> {
  const { data: run } = await client.runs.get({ params: { id } })
  const notes: string[] = []
  const choices = await queries.ensureQueryData(providerChoicesQuery)
  const isKnown = choices.some(({ name }) => name === run.provider)
  if (!isKnown) notes.push(t('playground:origin.provider', { provider: run.provider }))
  const { typed, unknown } = typedParameters(run.params ?? {})
  if (unknown.length > 0) notes.push(t('playground:origin.params', { names: unknown.join(', ') }))
  const column = newColumn()
  let setup: Setup = {
    ...emptySetup(),
    workspace: run.workspace_id,
    columns: [{ ...column, provider: isKnown ? run.provider : '', model: run.model, params: typed }],
  }
  const runPrompt = await promptOf(run, queries)
  const input = inputOf(run.input)
  if (input !== null) setup = withInput(setup, input, run, runPrompt, notes)
  else {
    if (runPrompt !== null) setup = withBase(setup, runPrompt.base, runPrompt.prompt.key)
    notes.push(...notesWithoutInput(run, runPrompt))
  }
  await saveToHistory(session, queries)
  session.replace({ ...setup, origin: { run: run.id, notes } }, {})
}

/**
 * Replaces the setup and results with a past run of this browser. Resolves to false if it no longer exists.
 */
export async function openEntry(
  session: PlaygroundSession,
  queries: QueryClient,
  id: string,
): Promise<boolean> {
  const entry = await readEntry(session.owner, id)
  if (entry === null) return false
  openings += 1
  await saveToHistory(session, queries)
  // New column ids, because a run in progress must not write into a column from the history.
  const newColumns = new Map(entry.setup.columns.map((column) => [column.id, newColumn(column)]))
  const results = Object.entries(entry.results).flatMap(([column, result]) => {
    const target = newColumns.get(column)
    return target === undefined ? [] : [[target.id, result] as const]
  })
  session.replace({ ...entry.setup, columns: [...newColumns.values()] }, Object.fromEntries(results))
  return true
}

/** Clears the Playground; models and their parameters stay. */
export async function resetPlayground(session: PlaygroundSession, queries: QueryClient): Promise<void> {
  openings += 1
  await saveToHistory(session, queries)
  const { columns } = session.setup.get()
  session.replace(
    { ...emptySetup(), columns: columns.map((column) => newColumn({ ...column, version: null })) },
    {},
  )
}
