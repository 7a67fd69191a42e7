import { z } from 'zod'
import { clearable, keepsProto } from '../common/fields.ts'
import type { FieldError } from '../common/problem.ts'
import { schemaFindings, toolFindings } from '../models/json-schema.ts'
import { JsonSchema, ModelParams, ToolDeclarations } from '../models/models.ts'

/** Maximum size of the parameters as JSON, in UTF-16 code units. */
const maxParamsLength = 128 * 1024
const maxParams = 64

/** The format of a response, as in OpenAI's `response_format`. */
export const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Letters, digits, `_` and `-`'),
      description: z.string().max(4000).optional(),
      schema: JsonSchema,
      strict: z.boolean().optional(),
    }),
  }),
])
export type ResponseFormat = z.infer<typeof ResponseFormat>

const known = ModelParams.omit({ mock: true, timeout_ms: true }).extend({
  tools: ToolDeclarations.optional(),
  response_format: ResponseFormat.optional(),
})

/**
 * The model parameters of a prompt. The known ones are validated, and sent by calls of this service. Others
 * are kept for apps.
 */
const AnyParams = known.catchall(z.unknown()).meta({
  description:
    'Model parameters. Names that are not listed are kept for apps; runs by this service do not send them',
})
export const PromptParams = keepsProto(AnyParams)
export type PromptParams = z.infer<typeof PromptParams>

/** The names of the parameters that are validated and sent. */
export const knownParams = Object.keys(known.shape) as readonly (keyof typeof known.shape)[]

/** Parameters as they are accepted: `max_tokens` is another name of `max_output_tokens`. */
export const ParamsInput = keepsProto(
  AnyParams.extend({
    max_tokens: ModelParams.shape.max_output_tokens.meta({ description: 'Alias of `max_output_tokens`' }),
  }),
)
  .superRefine((params, issues) => {
    for (const { path, message } of paramFindings(params))
      issues.addIssue({ code: 'custom', path: path === '' ? [] : path.split('.'), message })
  })
  .transform(({ max_tokens: alias, ...params }): PromptParams => {
    return alias === undefined ? params : { ...params, max_output_tokens: alias }
  })
export const clearableParams = clearable(ParamsInput)

/** Returns the errors in parameters that the schema alone does not find. */
function paramFindings(params: PromptParams & { readonly max_tokens?: number | undefined }): FieldError[] {
  const {
    tools = [],
    response_format: format,
    max_tokens: alias,
    max_output_tokens: max,
    tool_choice,
  } = params
  const findings = toolFindings(tools)
  if (format?.type === 'json_schema')
    findings.push(...schemaFindings(format.json_schema.schema, 'response_format.json_schema.schema'))
  if (alias !== undefined && max !== undefined && alias !== max)
    findings.push({ path: 'max_tokens', message: 'This is an alias of `max_output_tokens`; set only one' })
  if (tool_choice === 'required' && tools.length === 0)
    findings.push({ path: 'tool_choice', message: 'Requires at least one tool' })
  const names = Object.keys(params)
  if (names.length > maxParams) findings.push({ path: '', message: `More than ${maxParams} parameters` })
  if (names.some((name) => name.length > 128))
    findings.push({ path: '', message: 'A parameter name has at most 128 characters' })
  if (JSON.stringify(params).length > maxParamsLength)
    findings.push({ path: '', message: 'Larger than 128 Ki characters as JSON' })
  return findings
}
