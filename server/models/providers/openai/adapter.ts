import { createOpenAI } from '@ai-sdk/openai'
import type { JsonSchema } from '../../../../contract/models/models.ts'
import type { AiSdkProvider } from '../../protocol/ai-sdk-source.ts'
import { keyOf } from '../../protocol/connection.ts'

/**
 * Chat Completions, not Responses: it takes all parameters (`stop`, `seed` and the penalties among them), and
 * OpenAI does not store its responses unless asked to.
 */
export const openai: AiSdkProvider = {
  open: (connection, { model }) =>
    createOpenAI({ baseURL: connection.baseUrl, apiKey: keyOf(connection), fetch: connection.fetch }).chat(
      model,
    ),
  options: ({ responseSchema }) =>
    responseSchema === null ? undefined : { openai: { strictJsonSchema: isStrict(responseSchema) } },
}

const namedSubschemas = (schema: JsonSchema): unknown[] =>
  ['properties', '$defs', 'definitions'].flatMap((name) => Object.values((schema[name] ?? {}) as object))
const choices = (schema: JsonSchema): unknown[] => ['anyOf', 'items'].flatMap((name) => schema[name] ?? [])

/**
 * Returns true if OpenAI can enforce a schema: every object is closed and requires all its properties. OpenAI
 * rejects other schemas as `strict` and takes them only as guidance.
 */
function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  const node = schema as JsonSchema
  if (node['oneOf'] !== undefined || node['allOf'] !== undefined) return false
  const names = Object.keys((node['properties'] ?? {}) as object)
  const required: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : []
  const isObject = node['type'] === 'object' || names.length > 0
  const isClosed = node['additionalProperties'] === false && names.every((name) => required.includes(name))
  return (!isObject || isClosed) && [...namedSubschemas(node), ...choices(node)].every(isStrict)
}
