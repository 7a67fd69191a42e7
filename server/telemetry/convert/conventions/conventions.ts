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
  const order = conventions.filter(({ isCall }) => isCall(attributes) !== null)
  if (order[0]?.isCall(attributes) !== true) return null
  const others = conventions.filter((each) => !order.includes(each))
  const all = [...order, ...others]
  return {
    first(field) {
      const names = [...(ownFields[field] ?? []), ...all.flatMap(({ fields }) => fields[field] ?? [])]
      const found = names.find((name) => isSet(attributes.get(name)))
      return found === undefined ? undefined : attributes.get(found)
    },
    params: () => paramsOf(attributes, all),
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

function paramsOf(attributes: Attributes, order: readonly Convention[]): Record<string, unknown> {
  const params: Record<string, unknown> = {}
  for (const { params: form } of order.toReversed()) {
    for (const [name, target] of Object.entries(form?.names ?? {})) {
      const value = attributes.get(`${form?.prefix ?? ''}${name}`)
      if (isSet(value)) params[target] = value
    }
  }
  return params
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
