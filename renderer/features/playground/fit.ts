import { type Schema, Validator } from '@cfworker/json-schema'
import type { JsonSchema } from '../../../contract/models.ts'
import { t } from '../../lib/i18n.ts'

const mostFaults = 5

/** Where a value does not fit a schema, the innermost reasons. It interprets, for the page may not evaluate text. */
export function faultsOf(schema: JsonSchema, value: unknown): readonly string[] {
  try {
    const { valid, errors } = new Validator(schema as Schema, '2020-12', false).validate(value)
    if (valid) return []
    const inner = errors.filter(
      (one) =>
        !errors.some(
          (other) => other !== one && other.instanceLocation.startsWith(`${one.instanceLocation}/`),
        ),
    )
    return [
      ...new Set(inner.map(({ instanceLocation, error }) => `${instanceLocation.slice(1) || '/'}: ${error}`)),
    ].slice(0, mostFaults)
  } catch (error) {
    return [t('playground:fit.bad_schema', { reason: String((error as Error).message) })]
  }
}
