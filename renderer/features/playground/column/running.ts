import type { QueryClient } from '@tanstack/react-query'
import type { ApiError } from '../../../../contract/client.ts'
import type { ProblemBody } from '../../../../contract/common/problem.ts'
import { api } from '../../../../contract/index.ts'
import type { ToolCall } from '../../../../contract/models/models.ts'
import type { RunReply } from '../../../../contract/playground/playground.ts'
import { t } from '../../../lib/i18n.ts'
import { asApiError, client } from '../../../lib/service/api.ts'
import { streamEvents } from '../../../lib/service/events.ts'
import { providerChoicesQuery } from '../../../shared/providers/providers.ts'
import { addToHistory } from '../history/history.ts'
import { fetchBase } from '../input/base.ts'
import type { Column, Failure, Result } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'
import { checkSetup, isValid, type SetupErrors } from './checks.ts'
import { bodyOf, columnDisabledReason, providerOf, textOf, textOfBase } from './request.ts'

/** Update interval in a hidden tab, in milliseconds, because it gets no animation frames. */
const hiddenMs = 250

const onNextFrame = (work: () => void): unknown =>
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

/** Returns the changes that an event with a part of the response makes to the result. */
const changesByPart = (event: 'delta' | 'tool_call', data: unknown, current: Result): Partial<Result> =>
  event === 'delta'
    ? { text: current.text + (data as { text: string }).text }
    : { toolCalls: [...current.toolCalls, data as ToolCall] }

/** Returns the changes that the last event makes to the result; none for an unknown event. */
function changesByEnd(event: string, data: unknown, current: Result): Partial<Result> {
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
    text: current.text === '' ? (problem.output ?? '') : current.text,
    rendered: problem.rendered ?? current.rendered,
    failure: failureOf(problem),
  }
}

/** Returns the changes that a failed request makes to the result. */
function changesByFailure(error: unknown, current: Result): Partial<Result> {
  const failure = asApiError(error)
  const problem = failure?.problem ?? null
  return {
    status: 'failed',
    rendered: problem?.rendered ?? current.rendered,
    failure: problem === null ? plainFailure(failure) : failureOf(problem),
  }
}

/** Calls one model and stores the result, at most once per frame. */
async function callModel(
  session: PlaygroundSession,
  id: string,
  body: ReturnType<typeof bodyOf>,
  initial: Result,
): Promise<void> {
  const store = session.resultOf(id)
  const controller = new AbortController()
  session.abortControllers.set(id, controller)
  const startedAt = performance.now()
  const elapsedMs = (): number => performance.now() - startedAt
  let current = initial
  let isScheduled = false
  const update = (patch: Partial<Result>): void => {
    current = { ...current, ...patch }
    if (isScheduled) return
    isScheduled = true
    onNextFrame(() => {
      isScheduled = false
      store.set(current)
      session.scheduleStore()
    })
  }
  store.set(initial)
  session.running.set(new Set([...session.running.get(), id]))
  try {
    for await (const { event, data } of streamEvents(api.playground.run, { body }, controller.signal)) {
      if (event === 'delta' || event === 'tool_call') {
        update({ ...changesByPart(event, data, current), firstMs: current.firstMs ?? elapsedMs() })
      } else current = { ...current, ...changesByEnd(event, data, current) }
    }
    if (current.status === 'running') {
      const detail = t('common:error.stream_interrupted')
      current = { ...current, status: 'failed', failure: { ...plainFailure(null), detail } }
    }
  } catch (error) {
    current = {
      ...current,
      ...(controller.signal.aborted ? { status: 'stopped' } : changesByFailure(error, current)),
    }
  }
  current = { ...current, totalMs: elapsedMs() }
  const failedRunId = current.failure?.runId
  if (typeof failedRunId === 'number') {
    // The run log has the figures. If they cannot be fetched, the failure is displayed without them.
    const loggedRun = await client.runs.get({ params: { id: failedRunId } }).catch(() => null)
    current = { ...current, run: loggedRun?.data ?? null }
  }
  session.abortControllers.delete(id)
  store.set(current)
  session.running.set(new Set([...session.running.get()].filter((other) => other !== id)))
  session.scheduleStore()
}

/**
 * Runs columns in parallel and adds one history entry for all of them. Resolves to null once they have
 * started, or to the errors of the prompt panel if nothing was sent. Columns that cannot run are skipped; each
 * displays its reason.
 */
export async function runColumns(
  session: PlaygroundSession,
  queries: QueryClient,
  requestedColumns: readonly Column[],
  workspace: string,
): Promise<SetupErrors | null> {
  const setup = session.setup.get()
  const choices = await queries.ensureQueryData(providerChoicesQuery)
  const { subject } = setup
  const base = subject === null ? null : await fetchBase(queries, subject.id, subject.version)
  const prepared = await Promise.all(
    requestedColumns.map(async (column) => {
      const columnBase =
        subject === null || column.version === null
          ? null
          : await fetchBase(queries, subject.id, column.version)
      const text = columnBase === null ? textOf(setup, base) : textOfBase(columnBase)
      return { column, choice: providerOf(column, choices), text }
    }),
  )
  const errors = checkSetup(
    setup,
    prepared.map(({ text }) => text),
  )
  if (!isValid(errors)) return errors
  const calls = prepared.flatMap(({ column, choice, text }) =>
    choice === undefined ||
    columnDisabledReason(column, choice) !== null ||
    session.running.get().has(column.id)
      ? []
      : [{ column, choice, text }],
  )
  const workspaceId = base?.workspaceId ?? setup.workspace ?? workspace
  const startedAt = Date.now()
  const runs = calls.map(({ column, choice, text }) =>
    callModel(session, column.id, bodyOf(setup, column, choice.name, text, workspaceId), {
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
  void Promise.all(runs).then(() => {
    const columns = setup.columns.filter(({ id }) => ids.has(id))
    if (columns.length > 0)
      void addToHistory(session.owner, { ...setup, columns }, session.results(), startedAt)
  })
  return null
}

export const stopColumn = (session: PlaygroundSession, id: string): void =>
  session.abortControllers.get(id)?.abort()
