import type { z } from 'zod'
import type { Environment } from '../../../contract/common/environments.ts'
import { withoutPlaceholders } from '../../../contract/models/chat.ts'
import type { PlaygroundBody, RunReply } from '../../../contract/playground/playground.ts'
import type { Variable } from '../../../contract/prompts/prompt.ts'
import type { PromptMessages } from '../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import { CallFailed, type CallRequest, type Calls } from '../../calls/request/call.ts'
import { problemOf } from '../../calls/request/problem.ts'
import { withPromptParams } from '../../calls/request/prompt-params.ts'
import type { Context } from '../../lib/context.ts'
import { invalid } from '../../lib/fail.ts'
import { runContextOf } from '../../resources/run-context.ts'

/** The text of a prompt and the reference fields of its run. */
export type PromptText = {
  readonly workspaceId: string
  readonly key: string
  /** `v3`, or `draft` if the text is not the served one. */
  readonly version: string | null
  readonly env: Environment
  readonly content: string
  readonly messages: PromptMessages | null
  readonly params: PromptParams
  readonly variables: readonly Variable[]
}

export type PlaygroundDeps = {
  readonly calls: Pick<Calls, 'call'>
  /** Returns a text of a prompt; without a version the draft, else the served one. Throws 404. */
  readonly promptText: (
    ctx: Context,
    id: string,
    version: number | 'draft' | undefined,
  ) => Promise<PromptText>
  /** Returns the id of a workspace given by id or slug; null if none exists for the caller. */
  readonly workspaceId: (ctx: Context, idOrSlug: string) => Promise<string | null>
}

type Body = z.output<typeof PlaygroundBody>
type Call = Parameters<Calls['call']>
/** Callbacks with which a streaming call reports its progress. */
type CallProgress = { readonly onEvent: NonNullable<Call[3]>; readonly onBegun: NonNullable<Call[4]> }
type Template = Pick<
  CallRequest,
  'workspaceId' | 'refKey' | 'version' | 'env' | 'template' | 'declared' | 'messages'
> & {
  readonly promptParams: PromptParams
}

export type PlaygroundService = {
  run(ctx: Context, body: Body, signal: AbortSignal, progress?: CallProgress): Promise<RunReply>
}

export function createPlaygroundService({
  calls,
  promptText,
  workspaceId,
}: PlaygroundDeps): PlaygroundService {
  const promptTemplate = async (ctx: Context, id: string, body: Body): Promise<Template> => {
    const prompt = await promptText(ctx, id, body.version)
    const requestedWorkspace = body.workspace_id
    if (
      requestedWorkspace !== undefined &&
      (await workspaceId(ctx, requestedWorkspace)) !== prompt.workspaceId
    )
      throw invalid('workspace_id', 'A prompt runs in its own workspace')
    return {
      workspaceId: prompt.workspaceId,
      refKey: prompt.key,
      version: prompt.version,
      env: prompt.env,
      template: prompt.messages ?? prompt.content,
      messages: withoutPlaceholders(body.messages),
      promptParams: prompt.params,
      // A variable that was only found in the text has no declaration that could make it optional.
      declared: prompt.variables.filter(({ declared }) => declared),
    }
  }

  const customTemplate = async (ctx: Context, { content, messages, ...body }: Body): Promise<Template> => {
    if (body.version !== undefined)
      throw invalid('version', 'Only prompts have versions; set the `id` of a prompt')
    const id = await workspaceId(ctx, body.workspace_id ?? 'default')
    if (id === null) throw invalid('workspace_id', 'Workspace not found')
    const promptParams = body.prompt_params ?? {}
    const base = { workspaceId: id, refKey: null, version: null, env: null, declared: [], promptParams }
    if (content === undefined) return { ...base, template: messages, messages: [] }
    return { ...base, template: content, messages: withoutPlaceholders(messages) }
  }

  return {
    async run(ctx, body, signal, progress) {
      const { id } = body
      const { promptParams, ...template } = await (id === undefined
        ? customTemplate(ctx, body)
        : promptTemplate(ctx, id, body))
      const { params, tools, response_schema: responseSchema = null } = body
      const request: CallRequest = {
        ...template,
        source: 'playground',
        context: runContextOf(body),
        parentId: null,
        provider: body.provider,
        model: body.model ?? null,
        variables: body.variables,
        placeholders: body.placeholders,
        ...withPromptParams({ params, tools, responseSchema }, promptParams),
        capture: body.capture ?? null,
      }
      try {
        return await calls.call(ctx, request, signal, progress?.onEvent, progress?.onBegun)
      } catch (error) {
        throw error instanceof CallFailed ? problemOf(error) : error
      }
    },
  }
}
