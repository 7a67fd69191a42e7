import { z } from 'zod'
import { isRecord } from './values/is-record.ts'

/**
 * Removes empty strings from the input wherever the schema has an optional field that does not accept `""`,
 * and replaces them with null where the field is only nullable. Older clients send `""` for every field
 * without a value. A field whose schema accepts `""`, such as a description, keeps it.
 */
export type Normalize = (input: unknown) => unknown

const unchanged: Normalize = (input) => input
const cache = new WeakMap<z.core.$ZodType, Normalize>()

/** Returns the normalization of a schema. It is derived once per schema. */
export function emptyAsAbsent(schema: z.core.$ZodType): Normalize {
  const cached = cache.get(schema)
  if (cached !== undefined) return cached
  // A schema may contain itself. Until derivation is done, the cache has a function that looks the result up
  // when it is called.
  cache.set(schema, (input) => cache.get(schema)?.(input))
  const normalize = derive(schema)
  cache.set(schema, normalize)
  return normalize
}

function derive(schema: z.core.$ZodType): Normalize {
  if (schema instanceof z.ZodObject) return ofObject(schema)
  if (schema instanceof z.ZodArray) return ofArray(schema)
  if (schema instanceof z.ZodUnion) return ofUnion(schema)
  if (schema instanceof z.ZodLazy) {
    let inner: Normalize | null = null
    return (input) => {
      inner ??= emptyAsAbsent(schema.unwrap())
      return inner(input)
    }
  }
  if (schema instanceof z.ZodPipe) return emptyAsAbsent(schema.in)
  const inner = unwrapped(schema)
  return inner === null ? unchanged : emptyAsAbsent(inner)
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
    return empty === 'keep' && normalize === unchanged ? [] : [{ name, empty, normalize }]
  })
  if (fields.length === 0) return unchanged
  return (input) => (isRecord(input) ? normalizeFields(input, fields) : input)
}

/** Returns the input itself if no field changes. */
function normalizeFields(input: Record<string, unknown>, fields: readonly Field[]): Record<string, unknown> {
  let changed: Record<string, unknown> | null = null
  for (const { name, empty, normalize } of fields) {
    if (!Object.hasOwn(input, name)) continue
    const value = input[name]
    const isEmpty = value === '' && empty !== 'keep'
    const normalized = isEmpty ? null : normalize(value)
    if (normalized === value) continue
    changed ??= { ...input }
    if (isEmpty && empty === 'absent') delete changed[name]
    else changed[name] = normalized
  }
  return changed ?? input
}

function emptyOf(field: z.core.$ZodType): Field['empty'] {
  if (accepts(field, '')) return 'keep'
  if (accepts(field, undefined)) return 'absent'
  return accepts(field, null) ? 'null' : 'keep'
}

function ofArray(schema: z.ZodArray): Normalize {
  const normalize = emptyAsAbsent(schema.element)
  if (normalize === unchanged) return unchanged
  return (input) => {
    if (!Array.isArray(input)) return input
    const normalized = input.map(normalize)
    return normalized.some((element, index) => element !== input[index]) ? normalized : input
  }
}

function ofUnion(schema: z.ZodUnion): Normalize {
  return schema instanceof z.ZodDiscriminatedUnion ? ofDiscriminatedUnion(schema) : ofPlainUnion(schema)
}

/** Selects the branch that the discriminator names. Empty fields of the other branches are removed. */
function ofDiscriminatedUnion(schema: z.ZodDiscriminatedUnion): Normalize {
  const { discriminator } = schema.def
  const namesOf = (option: z.core.$ZodType) =>
    option instanceof z.ZodObject ? Object.keys(option.shape) : []
  const all = [...new Set(schema.options.flatMap(namesOf))]
  const branches = schema.options.map((option) => ({
    values: option._zod.propValues?.[discriminator],
    normalize: emptyAsAbsent(option),
    foreign: all
      .filter((name) => !namesOf(option).includes(name))
      .map((name): Field => ({ name, empty: 'absent', normalize: unchanged })),
  }))
  return (input) => {
    if (!isRecord(input)) return input
    const tag = input[discriminator]
    const branch = branches.find(({ values }) => values?.has(tag as z.core.util.Primitive) === true)
    return branch === undefined ? input : branch.normalize(normalizeFields(input, branch.foreign))
  }
}

/** Selects the only branch for objects or lists, or the first one that parses. */
function ofPlainUnion(schema: z.ZodUnion): Normalize {
  const branches = schema.options.map((option) => ({ option, normalize: emptyAsAbsent(option) }))
  const active = branches.filter(({ normalize }) => normalize !== unchanged)
  if (active.length === 0) return unchanged
  const isList = ({ option }: (typeof branches)[number]) => option instanceof z.ZodArray
  return (input) => {
    const candidates = active.filter((branch) => isList(branch) === Array.isArray(input))
    if (candidates.length <= 1) return candidates[0]?.normalize(input) ?? input
    for (const { option, normalize } of candidates) {
      const normalized = normalize(input)
      if (accepts(option, normalized)) return normalized
    }
    return input
  }
}
