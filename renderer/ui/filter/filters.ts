/** A field that a list can be filtered by. `name` is its name in the address and in the API. */
export type FilterField = {
  readonly name: string
  readonly label: string
  /** Name of the filter that excludes values, if there is one. */
  readonly negation?: string
} & (
  | {
      /** Any of a few known values. */
      readonly kind: 'choice'
      readonly options: readonly { readonly value: string; readonly label: string }[]
      /** Allows one value instead of several. */
      readonly isSingle?: boolean
    }
  | {
      /** Any text, several allowed. `suggestions` are optional choices. */
      readonly kind: 'text'
      readonly suggestions?: readonly string[]
      readonly placeholder?: string
      readonly isSingle?: boolean
    }
  | { readonly kind: 'number'; readonly unit?: string }
)

export type FilterValue = string | number | readonly string[] | undefined
export type FilterValues = Readonly<Record<string, unknown>>

/** A field with the values that it must have, or must not have. */
export type Condition = { readonly field: FilterField; readonly isNegated: boolean }

/** Returns the name of the search parameter of a condition. */
export const paramOf = ({ field, isNegated }: Condition): string =>
  isNegated ? (field.negation ?? field.name) : field.name

/** Returns both conditions of each field that can be negated, and one of the others. */
export const conditionsOf = (fields: readonly FilterField[]): readonly Condition[] =>
  fields.flatMap((field) =>
    (field.negation === undefined ? [false] : [false, true]).map((isNegated) => ({ field, isNegated })),
  )

/** Returns a search value as a list of texts; empty if there is none. */
export const valuesOf = (value: unknown): readonly string[] =>
  value === undefined || value === null || value === ''
    ? []
    : Array.isArray(value)
      ? value.map(String)
      : [String(value)]

/** Returns the values of a field as text for its chip. */
export function describeFilter(field: FilterField, value: unknown): string {
  const labels = valuesOf(value).map((text) => {
    if (field.kind === 'choice') return field.options.find((option) => option.value === text)?.label ?? text
    if (field.kind === 'number') return field.unit === undefined ? text : `${text} ${field.unit}`
    return text
  })
  return labels.join(', ')
}
