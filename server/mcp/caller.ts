import type { McpQuery } from '../../contract/system/mcp.ts'
import type { Identity } from '../auth/identity/identity.ts'
import type { Context } from '../lib/context.ts'

/** The sender of an MCP message. */
export type Caller = {
  readonly identity: Identity
  /** Its `mcpClient` names the client. */
  readonly ctx: Context
  /** The workspace and environment to which the address of the connection limits the prompts. */
  readonly place: McpQuery
  /** Aborts if the client cancels the request or leaves, or its access ends. */
  readonly signal: AbortSignal
}
