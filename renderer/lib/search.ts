import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

/**
 * The address is the saved view: `?status=error&provider=a&provider=b`. Everything in it is text; each page's schema
 * gives it a type. A value that makes no sense is dropped, so that an old link still opens.
 */
export type RawSearch = Record<string, string | string[]>

export function parseSearch(text: string): RawSearch {
  const found: RawSearch = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const before = found[name]
    found[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return found
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, given] of Object.entries(search)) {
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value !== undefined && value !== null && value !== '') params.append(name, String(value))
    }
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

const last = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value)
const list = (value: unknown): unknown => (value === undefined || Array.isArray(value) ? value : [value])

/** Building blocks of a page's search schema. */
export const one = () => z.preprocess(last, z.string().min(1).optional()).catch(undefined)
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess(last, z.enum(values as unknown as [T[number], ...T[number][]]).optional()).catch(undefined)
export const many = () => z.preprocess(list, z.array(z.string().min(1)).min(1).optional()).catch(undefined)
/** Of several values those that are known count; the others are dropped, as a newer console may have written them. */
export const manyOf = <const T extends readonly [string, ...string[]]>(values: T) => {
  const known = (given: unknown): unknown => {
    const found = [list(given)].flat().filter((value) => values.some((one) => one === value))
    return found.length === 0 ? undefined : [...new Set(found)]
  }
  const Value = z.enum(values as unknown as [T[number], ...T[number][]])
  return z.preprocess(known, z.array(Value).optional()).catch(undefined)
}
/** A moment, as ISO 8601 in UTC whatever zone it was written in. */
export const instant = () =>
  z.preprocess((value) => {
    const at = new Date(String(last(value)))
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
  }, z.string().optional())
export const figure = () => z.preprocess(last, z.coerce.number().min(0).optional()).catch(undefined)

/** What every list page has in its address. */
export const listSearch = { q: one(), cursor: one(), sort: one() }

export type SearchPatch<S> = { readonly [K in keyof S]?: S[K] | undefined }
export type SetSearch<S> = (patch: SearchPatch<S>, options?: { readonly replace?: boolean }) => void

/**
 * The page's part of the address and a way to change it. A patch that does not name `cursor` goes back to the first
 * page; what other parts of the console keep in the address (the workspace) stays.
 */
export function useSearchState<S extends z.ZodType<Record<string, unknown>>>(
  schema: S,
): readonly [z.output<S>, SetSearch<z.output<S>>] {
  const raw = useSearch({ strict: false })
  const navigate = useNavigate()
  const state = useMemo(() => schema.parse(raw), [schema, raw])
  const set = useCallback<SetSearch<z.output<S>>>(
    (patch, options) => {
      void navigate({
        to: '.',
        search: ((before: Record<string, unknown>) => ({ ...before, cursor: undefined, ...patch })) as never,
        replace: options?.replace ?? false,
        resetScroll: false,
      })
    },
    [navigate],
  )
  return [state, set]
}
