import { z } from 'zod'

/**
 * Removes empty strings from the input wherever the schema has an optional field that does not accept `""`,
 * and replaces them with null where the field is only nullable. Older clients send `""` for every field
 * without a value. A field whose schema accepts `""`, such as a description, keeps it.
 */
export type Normalize = (given: unknown) => unknown

const same: Normalize = (given) => given
const known = new WeakMap<z.core.$ZodType, Normalize>()

/** Returns the normalization of a schema. It is derived once per schema. */
export function emptyAsAbsent(schema: z.core.$ZodType): Normalize {
  const before = known.get(schema)
  if (before !== undefined) return before
  // A schema may contain itself. Until derivation is done, a lookup returns a function that finds the result
  // later.
  known.set(schema, (given) => known.get(schema)?.(given))
  const made = derive(schema)
  known.set(schema, made)
  return made
}

function derive(schema: z.core.$ZodType): Normalize {
  if (schema instanceof z.ZodObject) return ofObject(schema)
  if (schema instanceof z.ZodArray) return ofArray(schema)
  if (schema instanceof z.ZodUnion) return ofUnion(schema)
  if (schema instanceof z.ZodLazy) {
    let inner: Normalize | null = null
    return (given) => {
      inner ??= emptyAsAbsent(schema.unwrap())
      return inner(given)
    }
  }
  if (schema instanceof z.ZodPipe) return emptyAsAbsent(schema.in)
  const inner = unwrapped(schema)
  return inner === null ? same : emptyAsAbsent(inner)
}

/** Returns the schema inside an optional, nullable or defaulted one, or null for any other schema. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType | null {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  return isWrapper ? schema.unwrap() : null
}

const accepts = (schema: z.core.$ZodType, value: unknown): boolean => z.safeParse(schema, value).success

type Field = {
  readonly name: string
  /** The replacement of an empty string. `keep`: it is a valid value, or the field is required. */
  readonly empty: 'keep' | 'absent' | 'null'
  readonly normalize: Normalize
}

function ofObject(schema: z.ZodObject): Normalize {
  const fields = Object.entries(schema.shape).flatMap(([name, field]): Field[] => {
    const normalize = emptyAsAbsent(field)
    const empty = emptyOf(field)
    return empty === 'keep' && normalize === same ? [] : [{ name, empty, normalize }]
  })
  if (fields.length === 0) return same
  return (given) => (isRecord(given) ? normalizeFields(given, fields) : given)
}

/** Returns `given` itself if no field changes. */
function normalizeFields(given: Record<string, unknown>, fields: readonly Field[]): Record<string, unknown> {
  let changed: Record<string, unknown> | null = null
  for (const { name, empty, normalize } of fields) {
    if (!Object.hasOwn(given, name)) continue
    const value = given[name]
    const isEmpty = value === '' && empty !== 'keep'
    const after = isEmpty ? null : normalize(value)
    if (after === value) continue
    changed ??= { ...given }
    if (isEmpty && empty === 'absent') delete changed[name]
    else changed[name] = after
  }
  return changed ?? given
}

function emptyOf(field: z.core.$ZodType): Field['empty'] {
  if (accepts(field, '')) return 'keep'
  if (accepts(field, undefined)) return 'absent'
  return accepts(field, null) ? 'null' : 'keep'
}

function ofArray(schema: z.ZodArray): Normalize {
  const normalize = emptyAsAbsent(schema.element)
  if (normalize === same) return same
  return (given) => {
    if (!Array.isArray(given)) return given
    const after = given.map(normalize)
    return after.some((element, at) => element !== given[at]) ? after : given
  }
}

function ofUnion(schema: z.ZodUnion): Normalize {
  return schema instanceof z.ZodDiscriminatedUnion ? ofDiscriminatedUnion(schema) : ofPlainUnion(schema)
}

/** Selects the branch that the discriminator names. */
function ofDiscriminatedUnion(schema: z.ZodDiscriminatedUnion): Normalize {
  const { discriminator } = schema.def
  const branches = schema.options.map((option) => ({
    values: option._zod.propValues?.[discriminator],
    normalize: emptyAsAbsent(option),
  }))
  return (given) => {
    if (!isRecord(given)) return given
    const named = given[discriminator]
    const branch = branches.find(({ values }) => values?.has(named as z.core.util.Primitive) === true)
    return branch === undefined ? given : branch.normalize(given)
  }
}

/** Selects the only branch for objects or lists, or the first one that parses. */
function ofPlainUnion(schema: z.ZodUnion): Normalize {
  const branches = schema.options.map((option) => ({ option, normalize: emptyAsAbsent(option) }))
  const active = branches.filter(({ normalize }) => normalize !== same)
  if (active.length === 0) return same
  const isList = ({ option }: (typeof branches)[number]) => option instanceof z.ZodArray
  return (given) => {
    const candidates = active.filter((branch) => isList(branch) === Array.isArray(given))
    if (candidates.length <= 1) return candidates[0]?.normalize(given) ?? given
    for (const { option, normalize } of candidates) {
      const after = normalize(given)
      if (accepts(option, after)) return after
    }
    return given
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
