/** A placeholder of a prepared query. Kysely treats it as a value and puts it into the list of parameters. */
export type Placeholder = { readonly parameterName: string }

export function isPlaceholder(value: unknown): value is Placeholder {
  return typeof value === 'object' && value !== null && 'parameterName' in value
}
