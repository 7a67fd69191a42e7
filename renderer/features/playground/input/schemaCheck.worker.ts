import { type Schema, Validator } from '@cfworker/json-schema'
import type { JsonSchema } from '../../../../contract/models/models.ts'

export type SchemaCheckRequest = { readonly schema: JsonSchema; readonly value: unknown }
/**
 * The reasons why the value does not match, each with its path; or the reason why the schema cannot be used.
 */
export type SchemaCheckReply = { readonly errors: readonly string[] } | { readonly badSchema: string }

const maxErrors = 5

/**
 * Returns the innermost errors. This library interprets the schema, because the page may not evaluate code
 * (CSP).
 */
function schemaErrorsOf(schema: JsonSchema, value: unknown): readonly string[] {
  const { valid, errors } = new Validator(schema as Schema, '2020-12', false).validate(value)
  if (valid) return []
  const inner = errors.filter(
    (error) =>
      !errors.some(
        (other) => other !== error && other.instanceLocation.startsWith(`${error.instanceLocation}/`),
      ),
  )
  return [
    ...new Set(inner.map(({ instanceLocation, error }) => `${instanceLocation.slice(1) || '/'}: ${error}`)),
  ].slice(0, maxErrors)
}

function checkReply({ schema, value }: SchemaCheckRequest): SchemaCheckReply {
  try {
    return { errors: schemaErrorsOf(schema, value) }
  } catch (error) {
    return { badSchema: error instanceof Error ? error.message : String(error) }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<SchemaCheckRequest>) =>
  self.postMessage(checkReply(data)),
)
