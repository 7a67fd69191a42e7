import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ApiError } from '../../../contract/client.ts'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { t } from '../i18n.ts'
import { client } from './api.ts'

/** One server-sent event with its parsed data. */
export type StreamEvent = { readonly event: string; readonly data: unknown }

type Input = { readonly params?: Record<string, string | number>; readonly body: object }

/**
 * Posts with `stream: true` and yields the events as they arrive. Uses fetch, because an EventSource can
 * neither post nor send a token. Before the first byte it throws like every other call; if the
 * connection breaks later, it throws an `ApiError` of status 0. Leaving the loop, or aborting the signal,
 * ends the request.
 */
export async function* streamEvents(
  endpoint: Endpoint,
  { params, body }: Input,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, void> {
  const input = { ...(params === undefined ? {} : { params }), body: { ...body, stream: true } }
  const response = await client.stream(endpoint, input, { signal })
  const reader = response.body?.getReader()
  if (reader === undefined) return
  const received: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => received.push(event) })
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (signal.aborted) throw cause
        throw new ApiError(0, t('common:error.stream_interrupted'), null, { cause })
      })
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      for (const { event, data } of received.splice(0)) {
        yield { event: event ?? 'message', data: JSON.parse(data) as unknown }
      }
    }
  } finally {
    // Cancelling fails if the connection is already closed; nothing is left to do then.
    void reader.cancel().catch(() => undefined)
  }
}
