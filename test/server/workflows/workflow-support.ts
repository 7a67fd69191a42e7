import { expect } from 'vitest'
import type { TestServer } from '../../support/service.ts'

/** `data` of a parsed reply. */
export type Data = ReturnType<typeof JSON.parse>

/** Sends `POST <path>`; returns the created object, throws with the reply on failure. */
export async function make(server: TestServer, path: string, body: object): Promise<Data> {
  const reply = await server.call(`POST ${path}`, { body })
  if (reply.status !== 201) throw new Error(`POST ${path} answered ${reply.status}: ${reply.text}`)
  return reply.body.data
}

let createdCount = 0
/** Creates a workflow with these steps and a unique key; returns its id. */
export async function makeWorkflow(
  server: TestServer,
  steps: readonly object[],
  key?: string,
): Promise<string> {
  createdCount += 1
  return (await make(server, '/api/workflows', { key: key ?? `flow-${createdCount}`, steps })).id
}

/** Runs a workflow to its end; fails the test if it is refused. */
export async function runWorkflow(server: TestServer, id: string, body: object = {}): Promise<Data> {
  const reply = await server.call(`POST /api/workflows/${id}/run`, { body })
  expect({ status: reply.status, text: reply.status === 200 ? '' : reply.text }).toEqual({
    status: 200,
    text: '',
  })
  return reply.body
}

/** Returns `name:status` of every step, in order. */
export const traceOf = (reply: Data): string[] =>
  reply.steps.map((step: { name: string; status: string }) => `${step.name}:${step.status}`)

export const stepOf = (reply: Data, name: string): Data =>
  reply.steps.find((step: { name: string }) => step.name === name)

export type StreamEvent = { readonly event: string; readonly data: Data }

/** Starts a streamed run and reads its events; `disconnect` closes the connection. */
export async function streamed(server: TestServer, path: string, body: object) {
  const controller = new AbortController()
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.config.serviceToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
    signal: controller.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<StreamEvent | null> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const [event = '', data = ''] = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) }
      }
      const chunk = await reader?.read()
      if (chunk === undefined || chunk.done) return null
      text += chunk.value
    }
  }
  return {
    response,
    next,
    /** Returns the first matching event; null if the stream ends before. */
    async until(matches: (event: StreamEvent) => boolean): Promise<StreamEvent | null> {
      for (;;) {
        const event = await next()
        if (event === null || matches(event)) return event
      }
    },
    async rest(): Promise<StreamEvent[]> {
      const events: StreamEvent[] = []
      for (let event = await next(); event !== null; event = await next()) events.push(event)
      return events
    },
    disconnect: () => controller.abort(),
  }
}

/** Polls until the condition holds, because no event reports the effects of a disconnect. */
export async function eventually<T>(read: () => Promise<T>, isExpected: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 5000
  for (;;) {
    const value = await read()
    if (isExpected(value)) return value
    if (Date.now() > deadline) throw new Error(`not within 5 s: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export const render = (name: string, template = name, more: object = {}) => ({
  name,
  type: 'render',
  template,
  ...more,
})
export const model = (name: string, more: object = {}) => ({ name, type: 'model', provider: 'mock', ...more })
export const agent = (name: string, key: string, more: object = {}) => ({
  name,
  type: 'agent',
  agent_key: key,
  ...more,
})
export const slow = { mock: { first_token_ms: 60_000 } }

/** Creates an agent that fails until it is repaired. */
export async function brokenAgent(server: TestServer, key: string, mock: object = { fail: 'start' }) {
  const { id } = await make(server, '/api/agents', { key, content: 'Do {{input}}', params: { mock } })
  return {
    repair: async (target: TestServer = server) => {
      const reply = await target.call(`PATCH /api/agents/${id}`, { body: { params: {} } })
      if (reply.status !== 200) throw new Error(reply.text)
    },
  }
}

/** Returns the entries of the run log that belong to an execution, oldest first. */
export const runsOf = async (server: TestServer, executionId: string): Promise<Data[]> =>
  (await server.call(`GET /api/runs?parent_id=${executionId}&sort=created_at`)).body.data

export const execution = async (server: TestServer, id: string): Promise<Data> =>
  (await server.call(`GET /api/workflow-runs/${id}`)).body.data
