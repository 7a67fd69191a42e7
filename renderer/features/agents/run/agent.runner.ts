import { agents } from '../../../../contract/agents/agents.ts'
import type { ApiError } from '../../../../contract/client.ts'
import type { Endpoint } from '../../../../contract/common/endpoint.ts'
import type { ToolCall } from '../../../../contract/models/models.ts'
import type { RunReply } from '../../../../contract/playground/playground.ts'
import { type StreamEvent, streamEvents } from '../../../lib/service/events.ts'
import { session } from '../../../lib/session/session.ts'
import { createStore, type Store } from '../../../lib/state/store.ts'
import { failureOf, failureOfEvent, interrupted } from '../../../shared/runs/streamFailure.ts'

/** The latest run of an agent that was started in this tab. */
export type AgentRun = {
  readonly status: 'running' | 'done' | 'failed' | 'stopped'
  /** Start of the run, in epoch milliseconds. */
  readonly startedAt: number
  /** Milliseconds until the first text; null until then. */
  readonly firstTextMs: number | null
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly reply: RunReply | null
  readonly failure: ApiError | null
}

type Runner = {
  readonly state: Store<AgentRun | null>
  controller: AbortController | null
}

/** Runners by agent id. Module state, so that a run continues while another page is open. */
const runners = new Map<string, Runner>()

// Signing out stops all runs, and the next user sees none.
session.subscribe(() => {
  if (session.token() !== null) return
  for (const { controller } of runners.values()) controller?.abort()
  runners.clear()
})

/** Returns the runner of an agent; created on first use. */
export function runnerOf(id: string): Runner {
  const runner = runners.get(id) ?? { state: createStore<AgentRun | null>(null), controller: null }
  runners.set(id, runner)
  return runner
}

/** Returns the changes that one event makes to a run; null for an unknown event. */
function changesBy(run: AgentRun, { event, data }: StreamEvent): Partial<AgentRun> | null {
  switch (event) {
    case 'delta': {
      const { text } = data as { text: string }
      return { text: run.text + text, firstTextMs: run.firstTextMs ?? Date.now() - run.startedAt }
    }
    case 'tool_call':
      return { toolCalls: [...run.toolCalls, data as ToolCall] }
    case 'done':
      return { status: 'done', reply: data as RunReply }
    case 'error':
      return { status: 'failed', failure: failureOfEvent(data) }
    default:
      return null
  }
}

const newRun = (): AgentRun => ({
  status: 'running',
  startedAt: Date.now(),
  firstTextMs: null,
  text: '',
  toolCalls: [],
  reply: null,
  failure: null,
})

/**
 * Runs the saved agent. Progress and result go to the runner's store; does nothing if a run is in progress.
 */
export async function runAgent(id: string, variables: Record<string, unknown>): Promise<void> {
  const runner = runnerOf(id)
  if (runner.controller !== null) return
  const controller = new AbortController()
  runner.controller = controller
  let run = newRun()
  const set = (patch: Partial<AgentRun>): void => {
    run = { ...run, ...patch }
    runner.state.set(run)
  }
  set({})
  try {
    const endpoint = agents.run as unknown as Endpoint
    const request = { params: { id }, body: { variables } }
    for await (const event of streamEvents(endpoint, request, controller.signal)) {
      const changes = changesBy(run, event)
      if (changes !== null) set(changes)
    }
    if (run.status === 'running') set({ status: 'failed', failure: interrupted() })
  } catch (error) {
    if (controller.signal.aborted) set({ status: 'stopped' })
    else set({ status: 'failed', failure: failureOf(error) })
  } finally {
    runner.controller = null
  }
}

/** Cancels the run; the text received so far stays. */
export const stopAgent = (id: string): void => runnerOf(id).controller?.abort()
