import type { ApiError } from '../../../../contract/client.ts'
import type { Endpoint } from '../../../../contract/common/endpoint.ts'
import type {
  StepResult,
  WorkflowRun,
  WorkflowRunReply,
} from '../../../../contract/workflows/workflow-run.ts'
import { workflowRuns } from '../../../../contract/workflows/workflow-runs.ts'
import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import { streamEvents } from '../../../lib/service/events.ts'
import { session } from '../../../lib/session/session.ts'
import { createStore, type Store } from '../../../lib/state/store.ts'
import { failureOf, failureOfEvent, interrupted } from '../../../shared/runs/streamFailure.ts'
import { resultRow, type TraceRow, traceRows, waitingRows, withRow } from './trace.ts'

/** The latest execution of a workflow that was started in this tab. */
export type LiveExecution = {
  /** Null until the service has started the execution. */
  readonly id: string | null
  readonly isRunning: boolean
  /** Start of the execution, in epoch milliseconds. */
  readonly startedAt: number
  readonly rows: readonly TraceRow[]
  readonly run: WorkflowRun | null
  readonly output: string | null
  /** The reason why no execution started, or why its event stream ended. */
  readonly failure: ApiError | null
}

type ExecutionRequest =
  | { readonly kind: 'run'; readonly variables: Record<string, unknown>; readonly input: string }
  | { readonly kind: 'resume'; readonly execution: string }

/** Stores by workflow id. Module state, so that an execution continues while another page is open. */
const stores = new Map<string, Store<LiveExecution | null>>()

// The next user sees no execution of a user who signed out.
session.subscribe(() => session.token() === null && stores.clear())

/** Returns the store of a workflow's latest execution; created on first use. */
export function liveOf(workflowId: string): Store<LiveExecution | null> {
  const store = stores.get(workflowId) ?? createStore<LiveExecution | null>(null)
  stores.set(workflowId, store)
  return store
}

type StepStarted = { readonly step: string; readonly type: string; readonly attempt: number }

/** Returns the execution after an event of the stream. */
function applyEvent(live: LiveExecution, event: string, data: unknown): LiveExecution {
  const change = (name: string, update: (row: TraceRow) => TraceRow, type?: string): LiveExecution => ({
    ...live,
    rows: withRow(live.rows, name, update, type),
  })
  switch (event) {
    case 'started': {
      const { id, run } = data as { id: string; run: WorkflowRun }
      return { ...live, id, run, startedAt: Date.parse(run.created_at) }
    }
    case 'step_started': {
      const { step, type, attempt } = data as StepStarted
      return change(
        step,
        (row) => ({
          ...row,
          status: 'running',
          attempt,
          text: '',
          startedAt: row.startedAt ?? Date.now(),
        }),
        type,
      )
    }
    case 'delta': {
      const { step, text } = data as { step: string; text: string }
      return change(step, (row) => ({ ...row, text: row.text + text }))
    }
    case 'step': {
      const result = data as StepResult
      return change(result.name, (row) => resultRow(result, row.depth), result.type)
    }
    case 'done': {
      const { id, run, steps, output } = data as WorkflowRunReply
      return { ...live, id, run, output, rows: traceRows(steps), isRunning: false }
    }
    case 'error':
      return { ...live, failure: failureOfEvent(data), isRunning: false }
    default:
      return live
  }
}

const ended = (live: LiveExecution, failure: ApiError): LiveExecution => ({
  ...live,
  isRunning: false,
  failure,
})

/**
 * Runs a workflow, or resumes an execution that did not succeed; progress and result go to the workflow's
 * store. `onStarted` receives the id when the execution starts. The service ends an execution whose caller
 * disconnects, so nothing here aborts the request. Does nothing if an execution is in progress.
 */
export async function execute(
  workflow: { readonly id: string; readonly steps: readonly WorkflowStep[] },
  request: ExecutionRequest,
  onStarted: (id: string) => void = () => undefined,
): Promise<void> {
  const store = liveOf(workflow.id)
  if (store.get()?.isRunning === true) return
  let live: LiveExecution = {
    id: null,
    isRunning: true,
    startedAt: Date.now(),
    rows: waitingRows(workflow.steps),
    run: null,
    output: null,
    failure: null,
  }
  store.set(live)
  const [endpoint, input] =
    request.kind === 'run'
      ? [
          workflowRuns.run,
          { params: { id: workflow.id }, body: { variables: request.variables, input: request.input } },
        ]
      : [workflowRuns.resume, { params: { id: request.execution }, body: {} }]
  try {
    const events = streamEvents(endpoint as unknown as Endpoint, input, new AbortController().signal)
    for await (const { event, data } of events) {
      live = applyEvent(live, event, data)
      store.set(live)
      if (event === 'started' && live.id !== null) onStarted(live.id)
    }
    if (live.isRunning) live = ended(live, interrupted())
  } catch (error) {
    live = ended(live, failureOf(error))
  }
  store.set(live)
}
