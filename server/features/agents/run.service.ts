import type { z } from 'zod'
import type { RunAgentBody } from '../../../contract/agents/agent.ts'
import type { RunReply } from '../../../contract/playground/playground.ts'
import { CallFailed, type Calls } from '../../calls/request/call.ts'
import { problemOf } from '../../calls/request/problem.ts'
import type { Context } from '../../lib/context.ts'
import { runContextOf } from '../../resources/run-context.ts'
import type { AgentsService } from './agents.service.ts'

type Call = Parameters<Calls['call']>
/** Callbacks with which a streaming call reports its progress. */
type CallProgress = { readonly onEvent: NonNullable<Call[3]>; readonly onBegun: NonNullable<Call[4]> }

export type AgentRunner = ReturnType<typeof createAgentRunner>

/** Runs agents. Each run is one model call and one entry in the run log. */
export function createAgentRunner({
  agents,
  calls,
}: {
  readonly agents: AgentsService
  readonly calls: Pick<Calls, 'call'>
}) {
  return {
    async run(
      ctx: Context,
      id: string,
      body: z.output<typeof RunAgentBody>,
      signal: AbortSignal,
      progress?: CallProgress,
    ): Promise<RunReply> {
      const agent = await agents.ready(ctx, id, body.version)
      const { workspaceId, key, version, behaviour, template, declared, isJson } = agent
      const { provider, model, messages, params, tools, response_schema: responseSchema } = behaviour
      try {
        return await calls.call(
          ctx,
          {
            source: 'agent',
            workspaceId,
            refKey: key,
            version,
            env: behaviour.prompt_key === null ? null : behaviour.env,
            context: runContextOf(body),
            parentId: null,
            provider,
            model,
            messages,
            template,
            variables: body.variables,
            placeholders: body.placeholders,
            // A variable that was only found in the text has no declaration that could make it optional.
            declared: declared.filter((variable) => variable.declared),
            params,
            tools,
            responseSchema,
            isJson,
            capture: body.capture ?? null,
          },
          signal,
          progress?.onEvent,
          progress?.onBegun,
        )
      } catch (error) {
        throw error instanceof CallFailed ? problemOf(error) : error
      }
    },
  }
}
