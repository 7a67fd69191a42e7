import type { Prompt, Variable } from '../../../../contract/prompts/prompt.ts'
import type { PromptMessages, PromptType } from '../../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../../contract/prompts/prompt-params.ts'

type PromptBody = Pick<Prompt, 'type' | 'content' | 'messages' | 'model' | 'params' | 'variables'>

type Declaration = Pick<Variable, 'name' | 'required' | 'default' | 'description' | 'type' | 'example'>

/** The versioned part of a prompt. `messages` is absent for a text. */
type ExportedBody = {
  readonly type: PromptType
  readonly content: string
  readonly messages?: PromptMessages
  readonly model: string | null
  readonly params: PromptParams
  readonly variables: readonly Declaration[]
}

/** A prompt in Promptdeck's export format. */
export type ExportedPrompt = {
  readonly key: string
  readonly env: Prompt['env']
  readonly name: string
  readonly description: string
  readonly category: string | null
  readonly tags: readonly string[]
  readonly type: PromptType
  readonly model: string | null
  readonly params: PromptParams
  readonly variables: readonly Declaration[]
  /** Null: never published; the content is the draft. */
  readonly version: string | null
  readonly draft?: ExportedBody
  readonly messages?: PromptMessages
  readonly content: string
}

/** Reports a field that a format cannot contain unchanged. */
export type OnLoss = (field: string, message: string) => void

const declarationsOf = (variables: readonly Variable[]): Declaration[] =>
  variables
    .filter((variable) => variable.declared)
    .map((variable) => ({
      name: variable.name,
      required: variable.required,
      default: variable.default,
      description: variable.description,
      type: variable.type,
      ...(variable.example !== undefined && { example: variable.example }),
    }))

const bodyOf = ({ type, content, messages, model, params, variables }: PromptBody): ExportedBody => ({
  type,
  content,
  ...(messages !== null && { messages }),
  model,
  params,
  variables: declarationsOf(variables),
})

/** Returns the served text, with the draft as a separate field if it differs. */
export function toExported(prompt: Prompt): ExportedPrompt {
  const { key, env, name, description, category, tags, version, served, has_draft } = prompt
  const { type, model, params, variables, messages, content } = bodyOf(served ?? prompt)
  return {
    key,
    env,
    name,
    description,
    category,
    tags,
    type,
    model,
    params,
    variables,
    version,
    ...(served !== null && has_draft && { draft: bodyOf(prompt) }),
    ...(messages !== undefined && { messages }),
    content,
  }
}
