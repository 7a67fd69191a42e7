import { z } from 'zod'

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-11-21T09:30:00.000Z'] })
export const Id = z
  .string()
  .min(1)
  .meta({ examples: ['019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11'] })
export const Ok = z.object({ ok: z.literal(true) })

export const item = <T extends z.ZodType>(data: T) => z.object({ data })

export const page = <T extends z.ZodType>(data: T) =>
  z.object({
    data: z.array(data),
    total: z.int().meta({ description: 'Exact up to 10,000; the unfiltered total is always exact' }),
    total_capped: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if there are more than `total` rows' }),
    next_cursor: z.string().nullable(),
  })

/** An object whose names have `min` to `max` characters. A `z.record` would remove the name `__proto__`. */
export const anyObject = (min = 0, max = Number.POSITIVE_INFINITY) =>
  z
    .custom<Record<string, unknown>>()
    .superRefine((value, { addIssue }) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return addIssue({ code: 'custom', message: 'Expected an object' })
      for (const name of Object.keys(value))
        if (name.length < min || name.length > max)
          addIssue({ code: 'custom', path: [name], message: `A name has ${min} to ${max} characters` })
    })
    .meta({ type: 'object', additionalProperties: {} })

/** Added to `__proto__` while a schema reads it, and to names that end so already. Matches the patterns of names. */
const mark = '..__proto__'
const protoWithMarks = /^__proto__(\.\.__proto__)*$/
const rename = <T>(value: T, change: (name: string) => string): T =>
  typeof value === 'object' && value !== null && Object.keys(value).some((name) => protoWithMarks.test(name))
    ? (Object.fromEntries(
        Object.entries(value).map(([name, each]) => [protoWithMarks.test(name) ? change(name) : name, each]),
      ) as T)
    : value

/** Keeps the name `__proto__`, which the schemas of objects remove without an error. */
export const keepsProto = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value: z.input<T>) => rename(value, (name) => name + mark),
    schema.overwrite((value) => rename(value, (name) => name.slice(0, -mark.length))),
  )

/** A query parameter that may be repeated: `provider=a&provider=b` means any of them. */
export const anyOf = <T extends z.ZodType<unknown, string>>(value: T) =>
  z
    .union([value, z.array(value).min(1).max(50)])
    .transform((input): z.output<T>[] => (Array.isArray(input) ? (input as z.output<T>[]) : [input]))
    .optional()

export const queryInt = (min: number, max: number) =>
  z
    .union([
      z.int(),
      z
        .string()
        .regex(/^-?\d{1,15}$/, 'Expected a whole number')
        .transform(Number),
    ])
    .pipe(z.int().min(min).max(max))
    // OpenAPI would also describe the text from which the number is parsed.
    .meta({ type: 'integer', minimum: min, maximum: max, anyOf: undefined })

export const queryNumber = (min: number, max: number) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d{1,15}(?:\.\d{1,20})?(?:e[-+]?\d{1,2})?$/i, 'Expected a number')
        .transform(Number),
    ])
    .pipe(z.number().min(min).max(max))
    .meta({ type: 'number', minimum: min, maximum: max, anyOf: undefined })

/**
 * A time in a query: ISO 8601 with an offset, or a date (midnight UTC). A finer time selects
 * the same rows as the next millisecond, as inclusive and as exclusive bound.
 */
export const queryTime = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.date()],
    'Expected an ISO 8601 time such as 2026-11-21T09:30:00Z',
  )
  .transform((text) => new Date(new Date(text).getTime() + (/\.\d{3}\d*[1-9]/.test(text) ? 1 : 0)))

/**
 * Fields that the service sets. A change accepts and ignores them, so that an object can be sent back as it
 * was read.
 */
export const readOnly = <N extends string>(...names: readonly N[]) => {
  const field = z
    .unknown()
    .optional()
    .meta({ readOnly: true, description: 'Ignored; the service sets this field' })
  return Object.fromEntries(names.map((name) => [name, field])) as Record<N, typeof field>
}

/** The largest page of a list route, in rows. */
export const maxPageSize = 200

/** Returns true if the runtime has data of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

export const SearchText = z.string().trim().min(1).max(200)

/** Paging and sort order of a list. `cursor` is opaque and remains valid while rows are added. */
export const paging = <const S extends readonly string[]>(sorts: S) => ({
  limit: queryInt(1, maxPageSize).default(50).meta({ description: '50 by default' }),
  offset: queryInt(0, 10_000).optional(),
  cursor: z.string().min(1).max(1024).optional(),
  sort: z.enum(sorts).optional(),
})

/** The paging parameters after validation, as a list handler receives them. */
export type Paging = { limit: number; offset?: number | undefined; cursor?: string | undefined }

/** An optional, nullable field. In PATCH, absent leaves the value and null clears it. */
export const clearable = <T extends z.ZodType>(value: T) => value.nullable().optional()

/** Matches invisible characters. Joiners and variation selectors are part of emoji and of some scripts. */
export const invisible =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{DI}]|(?<=[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}])\p{DI}/u

/** Replaces invisible characters, such as those in names of other products, by spaces. */
export const withoutInvisible = (text: string): string => text.replace(new RegExp(invisible, 'gu'), ' ')

/** The name of a resource: one line of printable Unicode in normalization form C. */
export const Name = (max: number) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .min(1)
    .max(max)
    .refine((name) => !invisible.test(name), 'No control or invisible characters')

/** Maximum length of a key in UTF-16 code units. */
export const maxKeyLength = 200
/** The text of a key in a filter or a report, in Unicode normalization form C, as keys are stored. */
export const KeyText = z.string().normalize('NFC').min(1).max(maxKeyLength)

export const Slug = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'Lower-case letters, digits and single hyphens')

export const exportFormats = ['csv', 'jsonl'] as const
export const ExportFormat = z.enum(exportFormats)
