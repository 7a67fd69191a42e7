import type { Attributes } from '../../protocol/values.ts'
import { type Content, noContent } from '../content/content.ts'
import type { CallField, Convention, SpanDescription } from '../convention.ts'
import { genAi } from './gen-ai.ts'
import { openInference } from './openinference.ts'
import { traceloop } from './traceloop.ts'
import { vercelAi } from './vercel-ai.ts'

/** All conventions. The specific ones precede `gen_ai`, whose attributes their spans have too. */
const conventions: readonly Convention[] = [vercelAi, openInference, traceloop, genAi]

/** Names that the service itself defines, for any convention. */
const ownFields: Partial<Record<CallField, readonly string[]>> = { tags: ['promptdeck.tags'] }

/** Reads the fields of one span by the conventions that describe it, the most specific one first. */
export type Reader = {
  first(field: CallField): unknown
  /** Parameters that are attributes of their own. */
  params(): Record<string, unknown>
  content(): Content
}

/** Returns a reader for a model call; null for a span of anything else. */
export function readerOf(attributes: Attributes): Reader | null {
  const answers = conventions.map(({ isCall }) => isCall(attributes))
  if (answers.find((isCall) => isCall !== null) !== true) return null
  const { all, names, params } = orderOf(answers)
  return {
    first(field) {
      for (const name of names.get(field) ?? []) {
        const value = attributes.get(name)
        if (isSet(value)) return value
      }
      return undefined
    },
    params: () => paramsOf(attributes, params),
    content() {
      const found = all.map(({ content }) => content(attributes))
      return {
        input: found.find(({ input }) => input !== null)?.input ?? null,
        output: found.find(({ output }) => output !== null)?.output ?? null,
        toolNames: found.find(({ toolNames }) => toolNames.length > 0)?.toolNames ?? noContent.toolNames,
      }
    },
  }
}

/** Returns the agent, workflow, step or tool that a span describes; null for a model call and for anything else. */
export function describeSpan(attributes: Attributes): SpanDescription | null {
  const convention = conventions.find(({ isCall }) => isCall(attributes) !== null)
  return convention?.isCall(attributes) === false ? convention.describe(attributes) : null
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function paramsOf(attributes: Attributes, names: Order['params']): Record<string, unknown> {
  const params: Record<string, unknown> = {}
  for (const { name, target } of names) {
    const value = attributes.get(name)
    if (isSet(value)) params[target] = value
  }
  return params
}

/** The conventions in the order for a span, with the names of attributes in that order. */
type Order = {
  readonly all: readonly Convention[]
  readonly names: ReadonlyMap<string, readonly string[]>
  /** The preferred name of a parameter is the last one. */
  readonly params: readonly { readonly name: string; readonly target: string }[]
}

/** By the conventions that describe a span. Built once, because there are few. */
const orders = new Map<string, Order>()

/** Returns the conventions that describe a span, given by their answers, and then the others. */
function orderOf(answers: readonly (boolean | null)[]): Order {
  const key = answers.map((isCall) => (isCall === null ? '-' : '+')).join('')
  const known = orders.get(key)
  if (known !== undefined) return known
  const describes = (index: number) => answers[index] !== null
  const all = [
    ...conventions.filter((_, index) => describes(index)),
    ...conventions.filter((_, index) => !describes(index)),
  ]
  const names = new Map<string, string[]>()
  for (const { fields } of [{ fields: ownFields }, ...all])
    for (const [field, more] of Object.entries(fields))
      names.set(field, [...(names.get(field) ?? []), ...more])
  const params = all.toReversed().flatMap(({ params: form }) =>
    Object.entries(form?.names ?? {}).map(([name, target]) => ({
      name: `${form?.prefix ?? ''}${name}`,
      target,
    })),
  )
  const order = { all, names, params }
  orders.set(key, order)
  return order
}

/** Names of attributes that become fields of the run, so that they are not also metadata. */
export const knownAttributes: ReadonlySet<string> = new Set([
  'gen_ai.operation.name',
  'openinference.span.kind',
  'ai.operationId',
  'operation.name',
  'llm.request.type',
  ...[{ fields: ownFields }, ...conventions].flatMap(({ fields }) => Object.values(fields).flat()),
  ...conventions.flatMap(({ params }) =>
    Object.keys(params?.names ?? {}).map((name) => `${params?.prefix ?? ''}${name}`),
  ),
])

/** Prefixes that metadata omits, the longest first. */
export const metadataPrefixes: readonly string[] = conventions.flatMap(
  ({ metadataPrefixes: prefixes = [] }) => prefixes,
)
