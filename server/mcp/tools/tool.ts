import { z } from 'zod'
import { invalidRequest } from '../../http/problem.ts'
import type { Caller } from '../caller.ts'
import type { Operation, Operations } from '../operations.ts'

/** A tool: its description for models, its arguments, and the route that it calls. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly args: z.ZodType
  /** The route that decides whether the token may use the tool. */
  readonly operation: Operation
  /** True if the tool changes nothing. */
  readonly isReadOnly: boolean
  run(operations: Operations, caller: Caller, input: unknown): Promise<unknown>
}

/** Defines a tool with typed arguments. */
export function tool<Args extends z.ZodType>(
  definition: Omit<Tool, 'args' | 'run'> & {
    readonly args: Args
    readonly run: (operations: Operations, caller: Caller, args: z.output<Args>) => Promise<unknown>
  },
): Tool {
  const { args, run, ...rest } = definition
  return {
    ...rest,
    args,
    run(operations, caller, input) {
      const parsed = args.safeParse(input)
      if (!parsed.success) throw invalidRequest(parsed.error, '')
      return run(operations, caller, parsed.data)
    },
  }
}

/** Arguments that several tools have. */
export const shared = {
  workspace: z.string().min(1).max(64).optional().describe('ID or slug of a workspace'),
  env: z.enum(['dev', 'test', 'prod']).optional().describe('Environment'),
  limit: z.int().min(1).max(50).default(20),
  cursor: z.string().min(1).max(1024).optional().describe('`next_cursor` of the previous page'),
  id: z.string().min(1).max(64).describe('ID of a prompt'),
  time: z.string().max(64).optional(),
}
