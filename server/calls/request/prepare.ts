import type { FieldError } from '../../../contract/common/problem.ts'
import { responseSchemaFindings, toolFindings } from '../../../contract/models/json-schema.ts'
import { offlineProvider } from '../../../contract/models/models.ts'
import { fail, type Problem } from '../../lib/fail.ts'
import type { GenerateRequest, ModelChoice, Models } from '../../models/model.ts'
import type { CallRequest } from './call.ts'
import { renderRequest } from './render-request.ts'

export type Prepared = {
  readonly choice: ModelChoice
  readonly rendered: string
  readonly generate: GenerateRequest
  /** Names of the variables that had a value. */
  readonly variables: readonly string[]
}

/** Validates and renders a request. Throws 422 that names each invalid field. */
export function prepare(models: Models, request: CallRequest): Prepared {
  const { tools } = request
  const choice = models.find(request.provider)
  const model = request.model ?? choice?.defaultModel ?? null
  const { text, messages, variables, findings: textFindings } = renderRequest(request)
  const findings = [
    ...modelFindings(request, choice, model),
    ...toolFindings(tools),
    ...responseSchemaFindings(request.responseSchema),
    ...textFindings,
  ]
  if (findings.length > 0 || choice === null || model === null) throw invalidRequest(findings)
  return {
    choice,
    rendered: text,
    generate: {
      model,
      text,
      messages: [...request.messages, ...messages],
      params: request.params,
      tools,
      responseSchema: request.responseSchema,
      isJson: request.isJson,
    },
    variables,
  }
}

function modelFindings(
  { provider, params, tools }: CallRequest,
  choice: ModelChoice | null,
  model: string | null,
): FieldError[] {
  const findings: FieldError[] = []
  if (choice === null) findings.push({ path: 'provider', message: `Provider ${provider} not found` })
  else if (model === null)
    findings.push({ path: 'model', message: `Set a model: ${choice.name} has no default` })
  if (params.mock !== undefined && provider !== offlineProvider)
    findings.push({ path: 'params.mock', message: 'Only the provider mock supports this parameter' })
  if (params.tool_choice === 'required' && tools.length === 0)
    findings.push({ path: 'params.tool_choice', message: 'Requires at least one tool' })
  return findings
}

function invalidRequest(findings: readonly FieldError[]): Problem {
  const [first] = findings
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : ''
  return fail('request.invalid', {
    detail: `${first?.path}: ${first?.message}${more}`,
    errors: [...findings],
  })
}
