import type { FieldError } from '../../../contract/common/problem.ts'
import { fitsWhenRendered, render, variablesIn } from '../../../contract/formats/template.ts'
import { offlineProvider } from '../../../contract/models/models.ts'
import { fail, type Problem } from '../../lib/fail.ts'
import type { GenerateRequest, ModelChoice, Models } from '../../models/model.ts'
import type { CallRequest } from './call.ts'
import { responseSchemaFindings, toolFindings } from './schemas.ts'

/** A validated and rendered call. */
export type Prepared = {
  readonly choice: ModelChoice
  readonly rendered: string
  readonly generate: GenerateRequest
  /** Names of the variables that had a value. */
  readonly variables: readonly string[]
}

/** UTF-16 units. A short template with many placeholders can otherwise need more memory than there is. */
const maxRendered = 1024 * 1024

/** Validates and renders a request. Throws 422 that names each invalid field. */
export function prepare(models: Models, request: CallRequest): Prepared {
  const { template, tools } = request
  const choice = models.find(request.provider)
  const model = request.model ?? choice?.defaultModel ?? null
  const { rendered, missing, findings: textFindings } = renderRequest(request)
  const findings = [
    ...modelFindings(request, choice, model),
    ...toolFindings(tools),
    ...responseSchemaFindings(request.responseSchema),
    ...textFindings,
  ]
  if (findings.length > 0 || choice === null || model === null) throw invalidRequest(findings)
  return {
    choice,
    rendered,
    generate: {
      model,
      messages: [...request.messages, { role: 'user', content: rendered }],
      params: request.params,
      tools,
      responseSchema: request.responseSchema,
    },
    variables: variablesIn(template).filter((name) => !missing.has(name)),
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

/** Renders the template. `missing` are the variables without a value. */
function renderRequest({ template, variables, declared }: CallRequest): {
  readonly rendered: string
  readonly missing: ReadonlySet<string>
  readonly findings: readonly FieldError[]
} {
  const isSmall = fitsWhenRendered(template, variables, declared, maxRendered)
  const { text, missing } = isSmall ? render(template, variables, declared) : { text: template, missing: [] }
  const optional = new Set(declared.filter(({ required }) => required === false).map(({ name }) => name))
  const findings: FieldError[] = [...new Set(missing)]
    .filter((name) => !optional.has(name))
    .map((name) => ({ path: `variables.${name}`, message: `{{${name}}} has no value` }))
  if (!isSmall)
    findings.unshift({ path: 'variables', message: 'With these values the text would be larger than 1 MiB' })
  if (text.trim() === '') findings.push({ path: 'content', message: 'The text is empty' })
  return { rendered: text, missing: new Set(missing), findings }
}

function invalidRequest(findings: readonly FieldError[]): Problem {
  const [first] = findings
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : ''
  return fail('request.invalid', {
    detail: `${first?.path}: ${first?.message}${more}`,
    errors: [...findings],
  })
}
