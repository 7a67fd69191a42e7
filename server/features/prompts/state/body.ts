import { hash } from 'node:crypto'
import type { z } from 'zod'
import { includesIn } from '../../../../contract/formats/includes.ts'
import { variablesIn } from '../../../../contract/formats/template.ts'
import { chatText, chatTexts, chatVariables } from '../../../../contract/models/chat.ts'
import type { Variable, VariablesInput } from '../../../../contract/prompts/prompt.ts'
import {
  isEmptyPrompt,
  type PromptMessages,
  type PromptType,
} from '../../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../../contract/prompts/prompt-params.ts'

/**
 * The versioned part of a prompt. `variables` is the wire form as JSON, computed once, because versions never
 * change. `messages` is JSON, null for a text; `content` is then the messages as text. `params` is JSON, null
 * for none.
 */
export type Body = {
  readonly content: string
  readonly model: string | null
  readonly variables: string
  readonly messages: string | null
  readonly params: string | null
  /** 1 if `{{> key}}` in the texts includes another prompt. */
  readonly has_includes: number
}

type Declared = z.output<typeof VariablesInput>[number]

/**
 * Returns the declared variables. A variable that was only found in the text may be sent back without
 * declaring it.
 */
function declaredOf(variables: readonly Declared[]): Omit<Variable, 'used'>[] {
  const declared = variables.flatMap(
    (variable: Partial<Extract<Declared, { declared?: unknown }>> & { name: string }) =>
      variable.declared === false
        ? []
        : [
            {
              name: variable.name,
              required: variable.required ?? false,
              default: variable.default ?? null,
              description: variable.description ?? '',
              type: variable.type ?? ('string' as const),
              // Absent without a value, so that the JSON of a declaration from before this field is unchanged.
              ...(variable.example != null && { example: variable.example }),
              declared: true,
            },
          ],
  )
  return declared.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the variables of the template in its order, then the declared ones that it does not use. */
function mergedVariables(names: readonly string[], declared: readonly Omit<Variable, 'used'>[]): Variable[] {
  const byName = new Map(declared.map((variable) => [variable.name, variable]))
  const used = names.map((name) => {
    const known = byName.get(name)
    byName.delete(name)
    const undeclared = {
      name,
      required: false,
      default: null,
      description: '',
      type: 'string' as const,
      declared: false,
    }
    return { ...(known ?? undeclared), used: true }
  })
  return [...used, ...[...byName.values()].map((variable) => ({ ...variable, used: false }))]
}

/**
 * The versioned fields as a request sets them. `messages` null: a text. `unchanged`: the body whose texts
 * these are; `{{> …}}` in it keeps its meaning.
 */
export type BodyFields = {
  readonly unchanged?: Body | null
  readonly content: string
  readonly messages: PromptMessages | null
  readonly model: string | null
  readonly params: PromptParams
  readonly variables: readonly Declared[]
}

/** Returns the stored form. The content of a chat is derived from its messages. */
export function bodyOf({ content, messages, model, params, variables, unchanged }: BodyFields): Body {
  const used = messages === null ? variablesIn(content) : chatVariables(messages)
  const texts = messages === null ? [content] : chatTexts(messages)
  return {
    has_includes: unchanged?.has_includes ?? (includesIn(texts).length > 0 ? 1 : 0),
    content: messages === null ? content : chatText(messages),
    model,
    variables: JSON.stringify(mergedVariables(used, declaredOf(variables))),
    messages: messages && JSON.stringify(messages),
    params: Object.keys(params).length === 0 ? null : JSON.stringify(params),
  }
}

/** Parses the variables that `bodyOf` stored. */
export const variablesOf = (body: Pick<Body, 'variables'>): Variable[] => JSON.parse(body.variables)
/** Parses the messages that `bodyOf` stored; null for a text. */
export const messagesOf = ({ messages }: Pick<Body, 'messages'>): PromptMessages | null =>
  messages === null ? null : JSON.parse(messages)
/** Parses the parameters that `bodyOf` stored. */
export const paramsOf = ({ params }: Pick<Body, 'params'>): PromptParams =>
  params === null ? {} : JSON.parse(params)
export const typeOf = ({ messages }: Pick<Body, 'messages'>): PromptType =>
  messages === null ? 'text' : 'chat'

/** Returns only the versioned part of a row. */
export const onlyBody = ({ content, model, variables, messages, params, has_includes }: Body): Body => ({
  content,
  model,
  variables,
  messages,
  params,
  has_includes,
})

/** Returns true if the texts of a request are those of a stored body. */
const isSameText = ({ content, messages }: Pick<BodyFields, 'content' | 'messages'>, body: Body): boolean =>
  messages === null
    ? body.messages === null && content === body.content
    : JSON.stringify(messages) === body.messages

/** Returns the first body that has the texts of a request; null if none has. */
export const withSameText = (
  fields: Pick<BodyFields, 'content' | 'messages'>,
  bodies: readonly (Body | null)[],
): Body | null => bodies.find((body) => body !== null && isSameText(fields, body)) ?? null

export const isSameBody = (a: Body, b: Body): boolean =>
  a.content === b.content &&
  a.model === b.model &&
  a.variables === b.variables &&
  a.messages === b.messages &&
  a.params === b.params &&
  a.has_includes === b.has_includes

/**
 * Returns the content hash: SHA-256 of everything that is versioned. Two bodies have the same hash if
 * `isSameBody` is true for them.
 */
export const hashOf = ({ content, model, variables, messages, params, has_includes }: Body): string =>
  hash('sha256', JSON.stringify([content, model, variables, messages, params, has_includes]), 'hex')

export const isEmptyBody = (body: Body): boolean => isEmptyPrompt(body.content, messagesOf(body))

export function textsOf(body: Pick<Body, 'content' | 'messages'>): string[] {
  const messages = messagesOf(body)
  return messages === null ? [body.content] : chatTexts(messages)
}

/** Returns the text by which a prompt is found: without the roles of messages. */
export const searchText = (body: Body): string => textsOf(body).join(' ')

/**
 * Returns a resolved body with the variables of its texts. They are declared by the body itself, or by the
 * first of the included bodies that declares them.
 */
export function withVariablesOf(body: Body, included: readonly Body[]): Body {
  const declared = new Map<string, Variable>()
  for (const variable of [body, ...included].flatMap(variablesOf))
    if (variable.declared && !declared.has(variable.name)) declared.set(variable.name, variable)
  const used = [...new Set(textsOf(body).flatMap(variablesIn))]
  const sorted = [...declared.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return { ...body, variables: JSON.stringify(mergedVariables(used, sorted)) }
}
