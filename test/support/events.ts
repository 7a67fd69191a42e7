import type { TestServer } from './service.ts'
import { serviceToken } from './service.ts'

export type Event = { readonly event: string; readonly data: ReturnType<typeof JSON.parse> }

export type EventStream = {
  readonly response: Response
  /** Returns the next event; null at the end. */
  next(): Promise<Event | null>
  /** Returns all remaining events. */
  rest(): Promise<Event[]>
}

/** Sends a POST request and reads its reply as server-sent events. */
export async function openEvents(
  server: Pick<TestServer, 'url'>,
  path: string,
  body: unknown,
  options: { token?: string; signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<EventStream> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${options.token ?? serviceToken}`,
      'content-type': 'application/json',
      ...options.headers,
    },
    body: JSON.stringify(body),
    ...(options.signal && { signal: options.signal }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Event | null> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/s.exec(block) ?? []
        return { event, data: JSON.parse(data) }
      }
      const read = await reader?.read()
      if (read === undefined || read.done) return null
      text += read.value
    }
  }
  return {
    response,
    next,
    async rest() {
      const events: Event[] = []
      for (let event = await next(); event !== null; event = await next()) events.push(event)
      return events
    },
  }
}
