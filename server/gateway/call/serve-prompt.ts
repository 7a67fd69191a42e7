import type { Environment } from '../../../contract/common/environments.ts'
import { requireNamespace } from '../../auth/tokens/token-limits.ts'
import { hashOf } from '../../calls/intents/intent.ts'
import { withoutValues, withoutValuesIn } from '../../calls/result/redact.ts'
import { fail } from '../../lib/fail.ts'
import type { DirectProvider } from '../../models/model.ts'
import type { Json } from '../protocols/json.ts'
import type { RequestFields } from '../protocols/protocol.ts'
import type { RequestBody } from '../request/body.ts'
import { rewritable, shortened } from '../request/request-fields.ts'
import type { RunHeaders } from '../request/run-headers.ts'
import { applyOf } from '../served/apply.ts'
import { renderPrompt } from '../served/render.ts'
import { type ServedModel, servedModelOf, takeVariables } from '../served/served-model.ts'
import type { FindServed } from '../served/served-prompt.ts'
import type { Exchange } from './exchange.ts'
import { defaultEnv } from './place.ts'

/** A prompt in the place of a model. */
export type ServedCall = {
  readonly key: string
  readonly version: string
  readonly env: Environment
  readonly hash: string
  /** Names of the variables that had a value. */
  readonly variables: readonly string[]
  /** The input without values of variables. */
  readonly redactedInput: unknown
  /** Removes values of variables from the output. */
  readonly redact: (text: string) => string
}

/** A request that is ready for the provider. */
export type ProviderRequest = {
  readonly requestFields: RequestFields
  readonly body: Buffer
  /** The body without its content encoding. */
  readonly content: Buffer
  /** True if the body is not that of the caller. It has no content encoding then. */
  readonly isRewritten: boolean
  /** The path below the address of the provider. */
  readonly path: string
  readonly served: ServedCall | null
}

type ServeDeps = { readonly findServed: FindServed }
type Serve = {
  readonly exchange: Exchange
  readonly provider: DirectProvider
  readonly headers: RunHeaders
  readonly workspaceId: string
  readonly requestFields: RequestFields
} & RequestBody

/** Replaces a prompt that a request names as its model. Any other request is returned unchanged. */
export async function servePrompt(deps: ServeDeps, request: Serve): Promise<ProviderRequest> {
  const { requestFields, body, content, exchange } = request
  const named = servedModelOf(requestFields.model)
  const { path } = exchange.match
  if (named === null) return { requestFields, body, content, isRewritten: false, path, served: null }
  return insertPrompt(deps, request, named)
}

async function insertPrompt(
  { findServed }: ServeDeps,
  { exchange, provider, headers, workspaceId, content }: Serve,
  { key, env: namedEnv }: ServedModel,
): Promise<ProviderRequest> {
  const { ctx, match } = exchange
  const apply = applyOf(match.pattern)
  if (apply === null)
    throw fail('request.malformed', { detail: 'This path does not accept a prompt as its model.' })
  const env = namedEnv ?? headers.env ?? defaultEnv(ctx)
  requireNamespace(ctx, env)
  const prompt = await findServed({ workspaceId, key, env })
  if (prompt === null) throw fail('not_found', { detail: `No version of ${key} is served in ${env}.` })
  const model = prompt.model ?? provider.settings.defaultModel
  if (model === null)
    throw fail('request.malformed', {
      detail: `The prompt ${key} has no model, and ${provider.label} has no default.`,
    })
  const { values, rest } = takeVariables(rewritable(content))
  const rendered = renderPrompt(prompt, { model, values, hasMessages: hasMessages(rest) })
  const applied = apply(rest, rendered.parts, match.path)
  const redacted = apply(rest, rendered.template, match.path)
  const { readRequest } = match.protocol
  const body = Buffer.from(JSON.stringify(applied.body))
  return {
    requestFields: readRequest(applied.body, model),
    body,
    content: body,
    isRewritten: true,
    path: applied.path ?? match.path,
    served: {
      key,
      version: prompt.version,
      env,
      hash: hashOf(prompt.messages ?? prompt.content),
      variables: rendered.variables,
      redactedInput: withoutValuesIn(values)(shortened(readRequest(redacted.body, model).input)),
      redact: withoutValues(values),
    },
  }
}

/** Returns true if a request has messages of its own, in the field of any protocol. */
const hasMessages = ({ messages, input, contents }: Json): boolean =>
  [messages, input, contents].some((value) => value !== undefined && value !== '' && !isEmptyList(value))

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
