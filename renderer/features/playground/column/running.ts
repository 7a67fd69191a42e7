import type { QueryClient } from '@tanstack/react-query'
import type { ApiError } from '../../../../contract/client.ts'
import type { ProblemBody } from '../../../../contract/common/problem.ts'
import { api } from '../../../../contract/index.ts'
import type { ToolCall } from '../../../../contract/models/models.ts'
import type { RunReply } from '../../../../contract/models/playground.ts'
import { t } from '../../../lib/i18n.ts'
import { asApiError, client } from '../../../lib/service/api.ts'
import { streamEvents } from '../../../lib/service/events.ts'
import { addToHistory } from '../history/history.ts'
import { fetchBase } from '../input/base.ts'
import { providersQuery } from '../playground.queries.ts'
import type { Column, Failure, Result } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'
import { bodyOf, type Checked, check, columnFault, isValid, providerOf, textOf } from './request.ts'

/** Update interval in a hidden tab, in milliseconds, because it gets no animation frames. */
const hiddenMs = 250

const whenDrawn = (work: () => void): unknown =>
  document.visibilityState === 'visible' ? requestAnimationFrame(work) : setTimeout(work, hiddenMs)

function failureOf(problem: ProblemBody): Failure {
  return {
    title: problem.title,
    detail: problem.detail,
    type: problem.error_type ?? problem.code,
    requestId: problem.request_id,
    runId: problem.run_id ?? null,
    fields: [...(problem.errors ?? [])],
  }
}

const plainFailure = (error: ApiError | null): Failure => ({
  title: t(error?.status === 0 ? 'common:error.unreachable_title' : 'common:error.title'),
  detail: error?.message ?? t('common:error.unknown'),
  type: null,
  requestId: null,
  runId: null,
  fields: [],
})

/** Returns the result's change by an event with a part of the answer. */
const partOf = (event: 'delta' | 'tool_call', data: unknown, now: Result): Partial<Result> =>
  event === 'delta'
    ? { text: now.text + (data as { text: string }).text }
    : { toolCalls: [...now.toolCalls, data as ToolCall] }

/** Returns the result's change by the last event; nothing for an unknown one. */
function endOf(event: string, data: unknown, now: Result): Partial<Result> {
  if (event === 'done') {
    const { rendered, result, run } = data as RunReply
    return {
      status: 'done',
      rendered,
      run,
      provider: result.provider,
      model: result.model,
      text: result.output,
      toolCalls: [...result.tool_calls],
      finishReason: result.finish_reason,
    }
  }
  if (event !== 'error') return {}
  const problem = data as ProblemBody
  return {
    status: 'failed',
    text: now.text === '' ? (problem.output ?? '') : now.text,
    rendered: problem.rendered ?? now.rendered,
    failure: failureOf(problem),
  }
}

/** Returns the result's change by a request that failed. */
function refusal(error: unknown, now: Result): Partial<Result> {
  const refused = asApiError(error)
  const problem = refused?.problem ?? null
  return {
    status: 'failed',
    rendered: problem?.rendered ?? now.rendered,
    failure: problem === null ? plainFailure(refused) : failureOf(problem),
  }
}

/** Calls one model and stores the result, at most once per frame. */
async function callModel(
  session: PlaygroundSession,
  id: string,
  body: ReturnType<typeof bodyOf>,
  begun: Result,
): Promise<void> {
  const store = session.resultOf(id)
  const stop = new AbortController()
  session.stops.set(id, stop)
  const startedAt = performance.now()
  const passed = (): number => performance.now() - startedAt
  let now = begun
  let isDue = false
  const show = (next: Partial<Result>): void => {
    now = { ...now, ...next }
    if (isDue) return
    isDue = true
    whenDrawn(() => {
      isDue = false
      store.set(now)
      session.touch()
    })
  }
  store.set(begun)
  session.running.set(new Set([...session.running.get(), id]))
  try {
    for await (const { event, data } of streamEvents(api.playground.run, { body }, stop.signal)) {
      if (event === 'delta' || event === 'tool_call') {
        show({ ...partOf(event, data, now), firstMs: now.firstMs ?? passed() })
      } else now = { ...now, ...endOf(event, data, now) }
    }
    if (now.status === 'running') {
      const broke = t('common:error.stream_interrupted')
      now = { ...now, status: 'failed', failure: { ...plainFailure(null), detail: broke } }
    }
  } catch (error) {
    now = { ...now, ...(stop.signal.aborted ? { status: 'stopped' } : refusal(error, now)) }
  }
  now = { ...now, totalMs: passed() }
  const failedRun = now.failure?.runId
  if (typeof failedRun === 'number') {
    // The run log has the figures. If they cannot be fetched, the failure is displayed without them.
    const logged = await client.runs.get({ params: { id: failedRun } }).catch(() => null)
    now = { ...now, run: logged?.data ?? null }
  }
  session.stops.delete(id)
  store.set(now)
  session.running.set(new Set([...session.running.get()].filter((one) => one !== id)))
  session.touch()
}

/**
 * Runs columns in parallel and adds one history entry for all of them. Resolves to null once they have
 * started, or to the errors of the left side if nothing was sent. Columns that cannot run are skipped; each
 * displays its reason.
 */
export async function runColumns(
  session: PlaygroundSession,
  queries: QueryClient,
  wanted: readonly Column[],
  workspace: string,
): Promise<Checked | null> {
  const setup = session.setup.get()
  const choices = await queries.ensureQueryData(providersQuery)
  const { subject } = setup
  const base = subject === null ? null : await fetchBase(queries, subject.id, subject.version)
  const all = await Promise.all(
    wanted.map(async (column) => {
      const named =
        subject === null || column.version === null
          ? null
          : await fetchBase(queries, subject.id, column.version)
      const text =
        named === null
          ? textOf(setup, base)
          : { content: named.content, declared: named.variables, base: named }
      return { column, choice: providerOf(column, choices), text }
    }),
  )
  const checked = check(
    setup,
    all.map(({ text }) => text),
  )
  if (!isValid(checked)) return checked
  const calls = all.flatMap(({ column, choice, text }) =>
    choice === undefined || columnFault(column, choice) !== null || session.running.get().has(column.id)
      ? []
      : [{ column, choice, text }],
  )
  const place = base?.workspaceId ?? setup.workspace ?? workspace
  const startedAt = Date.now()
  const work = calls.map(({ column, choice, text }) =>
    callModel(session, column.id, bodyOf(setup, column, choice.name, text, place), {
      status: 'running',
      provider: choice.name,
      model: column.model.trim() === '' ? (choice.default_model ?? '') : column.model.trim(),
      version: text.base?.version ?? null,
      schema: setup.schema,
      startedAt,
      firstMs: null,
      totalMs: null,
      text: '',
      toolCalls: [],
      rendered: null,
      finishReason: null,
      run: null,
      failure: null,
    }),
  )
  const ids = new Set(calls.map(({ column }) => column.id))
  void Promise.all(work).then(() => {
    const columns = setup.columns.filter(({ id }) => ids.has(id))
    if (columns.length > 0)
      void addToHistory(session.owner, { ...setup, columns }, session.results(), startedAt)
  })
  return null
}

export const stopColumn = (session: PlaygroundSession, id: string): void => session.stops.get(id)?.abort()
