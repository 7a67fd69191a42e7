import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'vitest'
import { serviceToken, type TestServer } from '../../support/service.ts'

/** A client of the official SDK, and the number of its `list_changed` notifications. */
export type Connected = {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  changes(): number
  /** Resolves when the list changed again after `before`. */
  changedSince(before: number): Promise<void>
}

/** All tools, in the order of the list. */
export const toolNames = [
  'search_prompts',
  'get_prompt',
  'diff_prompt_versions',
  'create_draft',
  'update_draft',
  'search_runs',
  'get_run',
  'run_statistics',
  'list_models',
  'run_prompt',
]

/** The fields of a result that the tests read. */
export type Answer = ReturnType<typeof JSON.parse>

/** Connects the official client over HTTP. */
export async function connect(
  server: Pick<TestServer, 'url'>,
  { token = serviceToken, query = '' }: { readonly token?: string; readonly query?: string } = {},
): Promise<Connected> {
  const client = new Client({ name: 'test-client', version: '1.2.3' })
  let count = 0
  let wake: () => void = () => undefined
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => {
    count += 1
    wake()
  })
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  // The types of the SDK are not written for exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Transport)
  return {
    client,
    transport,
    changes: () => count,
    async changedSince(before) {
      while (count <= before)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    },
  }
}

/** Calls a tool that succeeds, and returns its result. */
export async function callTool(client: Client, name: string, args: object = {}): Promise<Answer> {
  const result = (await client.callTool({ name, arguments: { ...args } })) as Answer
  expect(result.isError, result.content[0].text).toBeUndefined()
  return JSON.parse(result.content[0].text)
}

/** Calls a tool that fails, and returns the text for the model. */
export async function failTool(client: Client, name: string, args: object = {}): Promise<string> {
  const result = (await client.callTool({ name, arguments: { ...args } })) as Answer
  expect(result.isError, result.content[0].text).toBe(true)
  return result.content[0].text
}

/** Creates an API token, by default for all workspaces. */
export async function createToken(server: TestServer, body: object): Promise<{ id: string; token: string }> {
  const reply = await server.call('POST /api/tokens', { body: { name: `mcp ${Math.random()}`, ...body } })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data
}
