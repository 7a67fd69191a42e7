import type { z } from 'zod'
import { type Agent, type CreateAgentBody, ImportedAgent } from '../../../contract/agents/agent.ts'
import type { FieldError } from '../../../contract/common/problem.ts'
import { offlineProvider } from '../../../contract/models/models.ts'
import { emptyAsAbsent } from '../../lib/empty-as-absent.ts'
import { fail, invalid } from '../../lib/fail.ts'

export type AgentBehaviour = Pick<
  Agent,
  | 'prompt_key'
  | 'content'
  | 'env'
  | 'provider'
  | 'model'
  | 'params'
  | 'messages'
  | 'tools'
  | 'response_schema'
>
/** The fields of a request that set the behaviour. `prompt` is another name of `content`. */
type BehaviourChange = Partial<Pick<z.output<typeof CreateAgentBody>, keyof AgentBehaviour | 'prompt'>>

const defaultBehaviour: AgentBehaviour = {
  prompt_key: null,
  content: null,
  env: 'prod',
  provider: offlineProvider,
  model: null,
  params: {},
  messages: [],
  tools: [],
  response_schema: null,
}

export type HasProvider = (name: string) => boolean

/**
 * Returns the behaviour after a change: absent leaves a field, null clears it. Throws 422 that names each
 * invalid field. A provider that was deleted since may remain.
 */
export function changedBehaviour(
  before: AgentBehaviour | null,
  change: BehaviourChange,
  hasProvider: HasProvider,
): AgentBehaviour {
  const changes = withContent(change)
  const base = before ?? defaultBehaviour
  const merge = <K extends keyof AgentBehaviour>(name: K, cleared: AgentBehaviour[K]): AgentBehaviour[K] => {
    const value = changes[name]
    return value === undefined ? base[name] : ((value as AgentBehaviour[K] | null) ?? cleared)
  }
  const setsKey = typeof changes.prompt_key === 'string'
  const setsContent = typeof changes.content === 'string'
  const behaviour: AgentBehaviour = {
    prompt_key: setsContent && !setsKey ? null : merge('prompt_key', null),
    content: setsKey && !setsContent ? null : merge('content', null),
    env: merge('env', 'prod'),
    provider: merge('provider', offlineProvider),
    model: merge('model', null),
    params: merge('params', {}),
    messages: merge('messages', []),
    tools: merge('tools', []),
    response_schema: merge('response_schema', null),
  }
  const errors = errorsOf(behaviour)
  if (behaviour.provider !== before?.provider && !hasProvider(behaviour.provider))
    errors.push({ path: 'provider', message: `Provider ${behaviour.provider} not found` })
  const [first] = errors
  if (first === undefined) return behaviour
  throw fail('request.invalid', { detail: `${first.path}: ${first.message}`, errors })
}

/** Accepts `prompt` as another name of `content`. Throws 422 if both are texts and differ. */
function withContent({ prompt, ...change }: BehaviourChange): Omit<BehaviourChange, 'prompt'> {
  if (prompt === undefined) return change
  const { content } = change
  if (typeof prompt === 'string' && typeof content === 'string' && prompt !== content)
    throw invalid('prompt', 'This is an alias of `content`; set only one of them')
  return { ...change, content: prompt ?? content ?? null }
}

function errorsOf({ prompt_key, content, provider, params, tools }: AgentBehaviour): FieldError[] {
  const errors: FieldError[] = []
  if ((prompt_key === null) === (content === null))
    errors.push({ path: 'content', message: 'Set either `prompt_key` or `content`' })
  else if (content !== null && content.trim() === '')
    errors.push({ path: 'content', message: 'The content is empty, so there is nothing to run' })
  if (params.mock !== undefined && provider !== offlineProvider)
    errors.push({ path: 'params.mock', message: 'Only the provider mock supports this parameter' })
  if (params.tool_choice === 'required' && tools.length === 0)
    errors.push({ path: 'params.tool_choice', message: 'Requires at least one tool' })
  const names = new Set<string>()
  tools.forEach(({ name }, index) => {
    if (names.has(name)) errors.push({ path: `tools.${index}.name`, message: 'Declared twice' })
    names.add(name)
  })
  return errors
}

/** Returns the behaviour that results from an import file. Fields that agents do not have are ignored. */
export function importedBehaviour(
  fields: Readonly<Record<string, unknown>>,
  before: AgentBehaviour | null,
  hasProvider: HasProvider,
): AgentBehaviour {
  const parsed = ImportedAgent.safeParse(emptyAsAbsent(ImportedAgent)(fields))
  if (parsed.success) return changedBehaviour(before, parsed.data, hasProvider)
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw fail('request.invalid', { errors })
}
