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

let made = 0
/** Creates a workflow with these steps and a unique key; returns its id. */
export async function makeWorkflow(
  server: TestServer,
  steps: readonly object[],
  key?: string,
): Promise<string> {
  made += 1
  return (await make(server, '/api/workflows', { key: key ?? `flow-${made}`, steps })).id
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

export type Heard = { readonly event: string; readonly data: Data }

/** Starts a streamed run and reads its events; `leave` closes the connection. */
export async function streamed(server: TestServer, path: string, body: object) {
  const leaving = new AbortController()
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.config.serviceToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
    signal: leaving.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Heard | null> => {
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
    async until(fits: (heard: Heard) => boolean): Promise<Heard | null> {
      for (;;) {
        const heard = await next()
        if (heard === null || fits(heard)) return heard
      }
    },
    async rest(): Promise<Heard[]> {
      const all: Heard[] = []
      for (let heard = await next(); heard !== null; heard = await next()) all.push(heard)
      return all
    },
    leave: () => leaving.abort(),
  }
}

/** Polls until the condition holds: no event reports what happens after a caller left. */
export async function eventually<T>(ask: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const until = Date.now() + 5000
  for (;;) {
    const value = await ask()
    if (isSo(value)) return value
    if (Date.now() > until) throw new Error(`not within 5 s: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
