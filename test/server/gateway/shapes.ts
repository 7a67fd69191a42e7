import { anthropic } from '../../support/model-server/anthropic.ts'
import { gemini } from '../../support/model-server/gemini.ts'
import { ollama } from '../../support/model-server/ollama.ts'
import { openaiChat } from '../../support/model-server/openai-chat.ts'
import { openaiResponses } from '../../support/model-server/openai-responses.ts'
import type { Json, Wire } from '../../support/model-server/wire.ts'

/** A route of the gateway, and the requests and replies of its protocol. */
export type Shape = {
  readonly path: string
  readonly streamPath?: string
  readonly wire: Wire
  readonly body: (stream: boolean, image: boolean) => Json
  readonly hasCached: boolean
  /** True if replies report the number of reasoning tokens. */
  readonly hasReasoning: boolean
  readonly finish: { readonly stop: string; readonly length: string; readonly tools: string }
  readonly responseId: string | null
}

const pixel = Buffer.alloc(3000, 7).toString('base64')
export const secretText = 'canary prompt text'

const chatBody = (stream: boolean, image: boolean): Json => ({
  model: 'gpt-4o-mini',
  stream,
  user: 'user-7',
  temperature: 0.5,
  messages: [
    {
      role: 'user',
      content: image
        ? [
            { type: 'text', text: secretText },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ]
        : secretText,
    },
  ],
})

/** The shapes of each protocol family, by the first part of their path below `/gateway/`. */
export const families: Readonly<
  Record<string, { readonly provider: string; readonly shapes: readonly Shape[] }>
> = {
  openai: {
    provider: 'openai',
    shapes: [
      {
        path: '/gateway/openai/v1/chat/completions',
        wire: openaiChat,
        body: chatBody,
        hasCached: true,
        hasReasoning: true,
        finish: { stop: 'stop', length: 'length', tools: 'tool_calls' },
        responseId: 'chatcmpl-1',
      },
      {
        path: '/gateway/openai/v1/responses',
        wire: openaiResponses,
        body: (stream) => ({ model: 'gpt-4o-mini', stream, user: 'user-7', input: secretText }),
        hasCached: true,
        hasReasoning: true,
        finish: { stop: 'completed', length: 'max_output_tokens', tools: 'completed' },
        responseId: 'resp_1',
      },
    ],
  },
  anthropic: {
    provider: 'claude',
    shapes: [
      {
        path: '/gateway/anthropic/v1/messages',
        wire: anthropic,
        body: (stream, image) => ({
          model: 'claude-haiku-4-5',
          stream,
          max_tokens: 100,
          metadata: { user_id: 'user-7' },
          messages: [
            {
              role: 'user',
              content: image
                ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }]
                : secretText,
            },
          ],
        }),
        hasCached: true,
        hasReasoning: false,
        finish: { stop: 'end_turn', length: 'max_tokens', tools: 'tool_use' },
        responseId: 'msg_1',
      },
    ],
  },
  gemini: {
    provider: 'gemini',
    shapes: [
      {
        path: '/gateway/gemini/v1beta/models/gemini-2.5-flash:generateContent',
        streamPath: '/gateway/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        wire: gemini,
        body: (_stream, image) => ({
          contents: [
            {
              role: 'user',
              parts: image
                ? [{ inlineData: { mimeType: 'image/png', data: pixel } }]
                : [{ text: secretText }],
            },
          ],
        }),
        hasCached: true,
        hasReasoning: true,
        finish: { stop: 'STOP', length: 'MAX_TOKENS', tools: 'STOP' },
        responseId: 'response-1',
      },
    ],
  },
  ollama: {
    provider: 'ollama',
    shapes: [
      {
        path: '/gateway/ollama/api/chat',
        wire: ollama,
        body: (stream, image) => ({
          model: 'llama3.2',
          stream,
          messages: [{ role: 'user', content: secretText, ...(image && { images: [pixel] }) }],
        }),
        hasCached: false,
        hasReasoning: false,
        finish: { stop: 'stop', length: 'length', tools: 'stop' },
        responseId: null,
      },
    ],
  },
}

/** The headers in which providers send the id of a request; Ollama sends none. */
const requestIdNames: Readonly<Record<string, string>> = {
  openai: 'X-Request-Id',
  anthropic: 'Request-Id',
  gemini: 'X-Goog-Request-Id',
}

/** Returns the request id that the model server sends for a shape; null if its provider sends none. */
export const requestIdOf = ({ path }: Shape): string | null =>
  requestIdNames[path.split('/')[2] ?? ''] === undefined ? null : 'req-abc'

/** Returns the header with this id as name and value; empty without one. */
export const requestIdHeadersOf = (shape: Shape): string[] =>
  [requestIdNames[shape.path.split('/')[2] ?? ''], requestIdOf(shape)].filter(
    (part) => typeof part === 'string',
  )
