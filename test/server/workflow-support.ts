import { expect } from 'vitest'
import type { TestServer } from '../support/service.ts'

/** A reply's `data` as JSON.parse gives it. */
export type Data = ReturnType<typeof JSON.parse>

/** `POST <path>`; returns the created thing, throws what was answered instead. */
export async function make(server: TestServer, path: string, body: object): Promise<Data> {
  const reply = await server.call(`POST ${path}`, { body })
  if (reply.status !== 201) throw new Error(`POST ${path} answered ${reply.status}: ${reply.text}`)
  return reply.body.data
}

let made = 0
/** A workflow of these steps under a key of its own; returns its id. */
export async function makeWorkflow(
  server: TestServer,
  steps: readonly object[],
  key?: string,
): Promise<string> {
  made += 1
  return (await make(server, '/api/workflows', { key: key ?? `flow-${made}`, steps })).id
}

/** Runs it to its end; fails the test when it is refused. */
export async function runWorkflow(server: TestServer, id: string, body: object = {}): Promise<Data> {
  const reply = await server.call(`POST /api/workflows/${id}/run`, { body })
  expect({ status: reply.status, text: reply.status === 200 ? '' : reply.text }).toEqual({
    status: 200,
    text: '',
  })
  return reply.body
}

/** `name:status` of every step, in order. */
export const traceOf = (reply: Data): string[] =>
  reply.steps.map((step: { name: string; status: string }) => `${step.name}:${step.status}`)

export const stepOf = (reply: Data, name: string): Data =>
  reply.steps.find((step: { name: string }) => step.name === name)

export type Heard = { readonly event: string; readonly data: Data }

/** A streamed run, event by event as it comes; `leave` closes the connection. */
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
    /** The first event that fits; null when the stream ends before. */
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

/** Asks again until it is so: what happens after a caller left is not awaited by anybody. */
export async function eventually<T>(ask: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const until = Date.now() + 5000
  for (;;) {
    const value = await ask()
    if (isSo(value)) return value
    if (Date.now() > until) throw new Error(`not within 5 s: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
