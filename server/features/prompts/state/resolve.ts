import {
  type Include,
  includesIn,
  includeText,
  replaceIncludes,
} from '../../../../contract/formats/includes.ts'
import { chatText, isPlaceholder } from '../../../../contract/models/chat.ts'
import type { PromptMessages } from '../../../../contract/prompts/prompt-chat.ts'
import type { Query } from '../../../db/types.ts'
import { invalid } from '../../../lib/fail.ts'
import { findVersion } from './bodies.store.ts'
import { type Body, messagesOf, withVariablesOf } from './body.ts'
import { idAt, type PromptPlace, servedNumber } from './prompts.store.ts'

/** Maximum depth of nested includes. */
const maxDepth = 8
/** Maximum length of the included texts together, in UTF-16 code units. A text counts wherever it is included. */
const maxResolvedLength = 1_048_576
/** Maximum number of includes that are looked up, at all levels together. */
const maxIncludes = 1000

/** An include that is not replaced, with the reason. */
export type IncludeFault = {
  readonly include: Include
  readonly reason: 'missing' | 'chat' | 'cycle' | 'depth' | 'size' | 'count'
}

export type Resolved = {
  readonly body: Body
  /** The included prompts of all levels, with the version in use. */
  readonly included: readonly { readonly key: string; readonly version: number }[]
  readonly faults: readonly IncludeFault[]
}

type State = {
  readonly q: Query
  readonly place: PromptPlace
  readonly bodies: Map<string, { readonly body: Body; readonly version: number } | null>
  readonly included: Map<string, { readonly key: string; readonly version: number; readonly body: Body }>
  readonly faults: IncludeFault[]
  length: number
  count: number
}

/**
 * Replaces the includes of a body by the texts of the prompts in the same workspace and environment. An
 * include that cannot be replaced remains as it is, and is a fault.
 */
export async function resolve(q: Query, place: PromptPlace, body: Body): Promise<Resolved> {
  if (body.has_includes === 0) return { body, included: [], faults: [] }
  const state: State = { q, place, bodies: new Map(), included: new Map(), faults: [], length: 0, count: 0 }
  const messages = messagesOf(body)
  const path = [place.key]
  const included = () => [...state.included.values()]
  if (messages === null) {
    const content = await expand(state, body.content, path)
    return finished(
      state,
      withVariablesOf(
        { ...body, content },
        included().map((one) => one.body),
      ),
    )
  }
  const expanded: PromptMessages = []
  for (const message of messages) {
    expanded.push(
      isPlaceholder(message) ? message : { ...message, content: await expand(state, message.content, path) },
    )
  }
  const resolved = { ...body, content: chatText(expanded), messages: JSON.stringify(expanded) }
  return finished(
    state,
    withVariablesOf(
      resolved,
      included().map((one) => one.body),
    ),
  )
}

const finished = (state: State, body: Body): Resolved => ({
  body,
  included: [...state.included.values()].map(({ key, version }) => ({ key, version })),
  faults: state.faults,
})

/** Returns a text with its includes replaced. `path`: the prompts that include it, as `key` or `key@v3`. */
async function expand(state: State, text: string, path: readonly string[]): Promise<string> {
  const texts = new Map<string, string>()
  for (const include of includesIn([text])) {
    const found = await textOf(state, include, path)
    if (found !== null) texts.set(includeText(include), found)
  }
  const inserted = new Set<string>()
  return replaceIncludes(text, (include) => {
    const name = includeText(include)
    const found = texts.get(name) ?? null
    // The first occurrence was counted when its text was read.
    if (found !== null && inserted.has(name) && !fits(state, found.length))
      return fault(state, include, 'size')
    inserted.add(name)
    return found
  })
}

/** Adds to the length of the included texts. Returns false if they are too long now. */
function fits(state: State, length: number): boolean {
  state.length += length
  return state.length <= maxResolvedLength
}

/** Adds a fault, but only one for each exceeded limit, because a limit may concern many includes. */
function fault(state: State, include: Include, reason: IncludeFault['reason']): null {
  const isLimit = reason === 'size' || reason === 'count'
  if (!(isLimit && state.faults.some((known) => known.reason === reason)))
    state.faults.push({ include, reason })
  return null
}

async function textOf(state: State, include: Include, path: readonly string[]): Promise<string | null> {
  const fail = (reason: IncludeFault['reason']): null => fault(state, include, reason)
  state.count += 1
  if (state.count > maxIncludes) return fail('count')
  const step = include.version === null ? include.key : `${include.key}@v${include.version}`
  if (path.includes(step)) return fail('cycle')
  if (path.length > maxDepth) return fail('depth')
  const found = await bodyOf(state, include, step)
  if (found === null) return fail('missing')
  const { body, version } = found
  if (body.messages !== null) return fail('chat')
  if (!fits(state, body.content.length)) return fail('size')
  state.included.set(step, { key: include.key, version, body })
  return body.has_includes === 1 ? expand(state, body.content, [...path, step]) : body.content
}

/** Returns the version that an include names; null if there is none. Reads each once. */
async function bodyOf({ q, place, bodies }: State, { key, version }: Include, step: string) {
  const known = bodies.get(step)
  if (known !== undefined) return known
  const id = await idAt(q, { ...place, key })
  const number = id === undefined ? 0 : (version ?? (await servedNumber(q, id)))
  const body = id === undefined || number === 0 ? undefined : await findVersion(q, id, number)
  const found = body === undefined ? null : { body, version: number }
  bodies.set(step, found)
  return found
}

export const messageOf = ({ include, reason }: IncludeFault, env: string): string => {
  const text = includeText(include)
  if (reason === 'cycle') return `${text} includes this prompt again, directly or through others`
  if (reason === 'depth') return `${text} is nested too deeply: includes have at most ${maxDepth} levels`
  if (reason === 'chat') return `${text} is a chat prompt; only texts can be included`
  if (reason === 'count')
    return `The text has more than ${maxIncludes} includes, with those of included texts`
  if (reason === 'size')
    return `The included texts together are longer than ${maxResolvedLength.toLocaleString('en')} characters`
  return `${text} is not served in ${env} of this workspace`
}

/** Throws 422 if an include of a body that is to be served cannot be replaced. */
export async function requireResolvable(q: Query, place: PromptPlace, body: Body): Promise<void> {
  const { faults } = await resolve(q, place, body)
  const [first] = faults
  if (first !== undefined)
    throw invalid(body.messages === null ? 'content' : 'messages', messageOf(first, place.env))
}
