import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { environments } from '../common/environments.ts'

/** The path of the Model Context Protocol (streamable HTTP). */
export const mcpPath = '/mcp'

/** The request header with the id of an MCP session, which the reply to `initialize` contains. */
export const mcpSessionHeader = 'Mcp-Session-Id'

const McpQuery = z.strictObject({
  workspace: z.string().min(1).max(64).optional().meta({
    description: 'ID or slug: lists only prompts of this workspace, whose names then do not contain it',
  }),
  env: z.enum(environments).optional().meta({
    description: 'Lists only prompts of this environment, whose names then do not contain it',
  }),
})
export type McpQuery = z.output<typeof McpQuery>

/** One JSON-RPC message. Batches are rejected: the newest revisions of the protocol have none. */
const JsonRpcMessage = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(256), z.int()]).optional(),
  method: z.string().min(1).max(128).optional(),
})

const common = {
  tag: 'MCP',
  path: mcpPath,
  permission: 'signed_in',
  // Each prompt, resource and tool requires what the API route requires that returns the same.
  workspaces: 'none',
  forApps: true,
  query: McpQuery,
  replyAs: 'stream',
} as const

export const mcp = {
  send: endpoint({
    ...common,
    method: 'POST',
    summary: 'Send a message of the Model Context Protocol',
    description:
      'A request is answered with `text/event-stream`, other messages with 202. Every request but `initialize` needs the header `Mcp-Session-Id` that the reply to `initialize` contained; 404 means: initialize again.',
    body: JsonRpcMessage,
    reply: JsonRpcMessage,
    mayAccept: true,
    problems: ['request.malformed', 'not_found'],
    example: {
      query: 'workspace=default&env=prod',
      body: { jsonrpc: '2.0', id: 1, method: 'prompts/list' },
      reply: { jsonrpc: '2.0', id: 1, result: { prompts: [] } },
    },
  }),
  listen: endpoint({
    ...common,
    method: 'GET',
    summary: 'Receive notifications of the Model Context Protocol',
    description:
      'Replies with `text/event-stream`: `notifications/prompts/list_changed` and `notifications/resources/list_changed`, once at the start and after each change of a published prompt that the token may read.',
    reply: JsonRpcMessage,
    problems: ['request.malformed', 'not_found'],
    example: { reply: { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' } },
  }),
}
