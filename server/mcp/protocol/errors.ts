import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { toProblem } from '../../http/problem.ts'
import type { Problem } from '../../lib/fail.ts'

/** The code of MCP for a resource that does not exist. */
const resourceNotFound = -32002

function codeOf({ status }: Problem, notFound: number): number {
  if (status === 404) return notFound
  return status >= 500 ? ErrorCode.InternalError : ErrorCode.InvalidParams
}

/** Returns functions that run a handler, and convert its problems to errors of JSON-RPC. */
export function errorsOf(requestId: string, onInternal: (error: unknown) => void) {
  const run = async <Result>(work: () => Promise<Result>, notFound: number): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      const problem = toProblem(error)
      // The cause may contain what was sent to a provider, and the run log has these failures.
      if (problem.code === 'internal') onInternal(error)
      const { code, extra } = problem
      const data = { code, request_id: requestId, ...(extra.errors && { errors: extra.errors.slice(0, 20) }) }
      throw new McpError(codeOf(problem, notFound), problem.message, data)
    }
  }
  return {
    list: <Result>(work: () => Promise<Result>) => run(work, ErrorCode.InvalidParams),
    resource: <Result>(work: () => Promise<Result>) => run(work, resourceNotFound),
  }
}
