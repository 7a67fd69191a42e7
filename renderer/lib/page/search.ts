import {
  type MakeRouteMatch,
  type RegisteredRouter,
  type RouteIds,
  useNavigate,
  useSearch,
} from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'

/**
 * Search parameters of an address: `?status=error&provider=a&provider=b`. The address is the saved view. All
 * values are text; each page's schema gives them types. Invalid values are dropped, so that an old link still
 * opens.
 */
export type RawSearch = Record<string, string | string[]>

export function parseSearch(text: string): RawSearch {
  const search: RawSearch = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const before = search[name]
    search[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return search
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, values] of Object.entries(search)) {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (value !== undefined && value !== null && value !== '') params.append(name, String(value))
    }
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value)
const listOf = (value: unknown): unknown => (value === undefined || Array.isArray(value) ? value : [value])

// Schemas of single search parameters, for a page's search schema.

/** A text. If the address has several values, the last one applies. */
export const textParam = () => z.preprocess(lastOf, z.string().min(1).optional()).catch(undefined)
/** One of some values. */
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess(lastOf, z.enum(values as unknown as [T[number], ...T[number][]]).optional()).catch(undefined)
export const textListParam = () =>
  z.preprocess(listOf, z.array(z.string().min(1)).min(1).optional()).catch(undefined)
/** Several of some values. Unknown ones are dropped, because a newer console may have written them. */
export const manyOf = <const T extends readonly [string, ...string[]]>(values: T) => {
  const withoutUnknown = (input: unknown): unknown => {
    const known = [listOf(input)].flat().filter((item) => values.some((value) => value === item))
    return known.length === 0 ? undefined : [...new Set(known)]
  }
  const Value = z.enum(values as unknown as [T[number], ...T[number][]])
  return z.preprocess(withoutUnknown, z.array(Value).optional()).catch(undefined)
}
/** A time, converted to ISO 8601 in UTC. The service accepts years of four digits. */
export const timeParam = () =>
  z.preprocess((value) => {
    const at = new Date(String(lastOf(value)))
    const iso = Number.isNaN(at.getTime()) ? '' : at.toISOString()
    return /^\d/.test(iso) ? iso : undefined
  }, z.string().optional())
/** A number of 0 or more. */
export const numberParam = () => z.preprocess(lastOf, z.coerce.number().min(0).optional()).catch(undefined)

/** Search parameters of every list page. */
export const listSearch = { q: textParam(), cursor: textParam(), sort: textParam() }

type Tree = RegisteredRouter['routeTree']
/** Path of a page in the shell, such as `/users/{-$id}`. The shell itself has the empty path. */
export type PagePath =
  RouteIds<Tree> extends infer Id ? (Id extends `/signed-in/shell${infer Path}` ? Path : never) : never
/** Search parameters of all pages, as the routes declare them. */
type AnySearch = MakeRouteMatch<Tree, RouteIds<Tree>, false>['search']

export type SearchPatch<S> = { readonly [K in keyof S]?: S[K] | undefined }
export type SetSearch<S> = (patch: SearchPatch<S>, options?: { readonly replace?: boolean }) => void

/**
 * Returns the search parameters of the page at `path`, limited to those of `schema`, and a function that
 * changes them. A patch without `cursor` goes to the first page. Parameters of other parts of the console
 * (the workspace) are kept.
 */
export function useSearchState<S extends z.ZodType<AnySearch>>(
  path: PagePath,
  schema: S,
): readonly [z.output<S>, SetSearch<z.output<S>>] {
  const all = useSearch({ from: `/signed-in/shell${path}` })
  const navigate = useNavigate()
  const state = useMemo(() => schema.parse(all), [schema, all])
  const set = useCallback<SetSearch<z.output<S>>>(
    (patch, options) => {
      void navigate({
        to: '.',
        search: (before) => ({ ...before, cursor: undefined, ...patch }),
        replace: options?.replace ?? false,
        resetScroll: false,
      })
    },
    [navigate],
  )
  return [state, set]
}
