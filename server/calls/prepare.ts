import type { FieldError } from '../../contract/problem.ts'
import { fitsWhenRendered, render, variablesIn } from '../../contract/template.ts'
import { fail } from '../lib/fail.ts'
import type { GenerateRequest, ModelChoice, Models } from '../models/model.ts'
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
const mostRendered = 1024 * 1024

/** Validates and renders a request. Throws 422 that names each invalid field. */
export function prepare(models: Models, request: CallRequest): Prepared {
  const { template, variables, declared, params, tools } = request
  const findings: FieldError[] = []
  const find = (path: string, message: string) => void findings.push({ path, message })

  const choice = models.find(request.provider)
  if (choice === null) find('provider', `There is no provider ${request.provider}`)
  const model = request.model ?? choice?.defaultModel ?? null
  if (choice !== null && model === null) find('model', `Name a model: ${choice.name} has no default`)
  if (params.mock !== undefined && request.provider !== 'mock')
    find('params.mock', 'Only the provider mock can be told how to behave')
  if (params.tool_choice === 'required' && tools.length === 0)
    find('params.tool_choice', 'There is no tool to choose')
  findings.push(...toolFindings(tools), ...responseSchemaFindings(request.responseSchema))

  const fits = fitsWhenRendered(template, variables, declared, mostRendered)
  if (!fits) find('variables', 'With these values the text would be larger than 1 MiB')
  const rendered = fits ? render(template, variables, declared) : { text: template, missing: [] }
  const missing = new Set(rendered.missing)
  const mayMiss = new Set(declared.filter(({ required }) => required === false).map(({ name }) => name))
  for (const name of missing) {
    if (!mayMiss.has(name)) find(`variables.${name}`, `{{${name}}} has no value`)
  }
  if (rendered.text.trim() === '') find('content', 'There is no text to send')

  const [first] = findings
  if (first !== undefined || choice === null || model === null) {
    const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : ''
    throw fail('request.invalid', { detail: `${first?.path}: ${first?.message}${more}`, errors: findings })
  }
  return {
    choice,
    rendered: rendered.text,
    generate: {
      model,
      messages: [...request.messages, { role: 'user', content: rendered.text }],
      params,
      tools,
      responseSchema: request.responseSchema,
    },
    variables: variablesIn(template).filter((name) => !missing.has(name)),
  }
}
