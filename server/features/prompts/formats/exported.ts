import type { Prompt, Variable } from '../../../../contract/prompts/prompt.ts'

type Declaration = Pick<Variable, 'name' | 'required' | 'default' | 'description' | 'type'>

/** A prompt in Promptdeck's export format. */
export type ExportedPrompt = {
  readonly key: string
  readonly env: Prompt['env']
  readonly name: string
  readonly description: string
  readonly category: string | null
  readonly tags: readonly string[]
  readonly model: string | null
  readonly variables: readonly Declaration[]
  /** Null: never published; the content is the draft. */
  readonly version: string | null
  readonly draft?: {
    readonly content: string
    readonly model: string | null
    readonly variables: readonly Declaration[]
  }
  readonly content: string
}

const declarationsOf = (variables: readonly Variable[]): Declaration[] =>
  variables
    .filter((variable) => variable.declared)
    .map((variable) => ({
      name: variable.name,
      required: variable.required,
      default: variable.default,
      description: variable.description,
      type: variable.type,
    }))

/** Returns the served text, with the draft as a separate field if it differs. */
export function toExported(prompt: Prompt): ExportedPrompt {
  const { key, env, name, description, category, tags, version, served, has_draft } = prompt
  const body = served ?? prompt
  return {
    key,
    env,
    name,
    description,
    category,
    tags,
    model: body.model,
    variables: declarationsOf(body.variables),
    version,
    ...(served !== null &&
      has_draft && {
        draft: { content: prompt.content, model: prompt.model, variables: declarationsOf(prompt.variables) },
      }),
    content: body.content,
  }
}
