import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { fail, Problem } from '../../lib/fail.ts'
import { boundedText } from '../bounded-text.ts'
import type { Caller } from '../caller.ts'
import type { Operations } from '../operations.ts'
import { playgroundTools } from './playground.ts'
import { promptTools } from './prompts.ts'
import { runTools } from './runs.ts'
import type { Tool } from './tool.ts'

const tools: readonly Tool[] = [...promptTools, ...runTools, ...playgroundTools]

type WireTool = ListToolsResult['tools'][number]

function toWire({ name, title, description, args, isReadOnly }: Tool): WireTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' })
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as WireTool['inputSchema'],
    annotations: {
      title,
      readOnlyHint: isReadOnly,
      destructiveHint: false,
      openWorldHint: name === 'run_prompt',
    },
  }
}

/** Lists and calls tools. */
export function createToolHandlers(operations: Operations) {
  let wireTools: readonly (readonly [Tool, WireTool])[] | null = null
  return {
    /** Lists the tools that the token may use. */
    list({ identity }: Caller): ListToolsResult {
      wireTools ??= tools.map((tool) => [tool, toWire(tool)] as const)
      const usable = wireTools.filter(([{ operation }]) => operations.isAllowed(identity, operation))
      return { tools: usable.map(([, wire]) => wire) }
    },

    /** Calls a tool. Its errors are part of the result, so that the model can correct the call. */
    async call(caller: Caller, name: string, input: unknown): Promise<CallToolResult> {
      const tool = tools.find((each) => each.name === name)
      if (tool === undefined) throw fail('request.invalid', { detail: `Unknown tool: ${name.slice(0, 100)}` })
      try {
        return {
          content: [{ type: 'text', text: boundedText(await tool.run(operations, caller, input ?? {})) }],
        }
      } catch (error) {
        if (!(error instanceof Problem) || error.status === 500) throw error
        return { isError: true, content: [{ type: 'text', text: describe(error) }] }
      }
    },
  }
}

/** Returns the message of a problem, which names the first wrong field, with the others. */
function describe({ message, code, extra }: Problem): string {
  const fields = (extra.errors ?? []).slice(1, 20).map((error) => `${error.path}: ${error.message}`)
  const run = extra.call?.runId == null ? [] : [`Run: ${extra.call.runId}`]
  return [`${code}: ${message}`, ...fields, ...run].join('\n')
}
