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

/** Helpers for a page's search schema: the last value as text, one of some values, several values. */
export const one = () => z.preprocess(last, z.string().min(1).optional()).catch(undefined)
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess(last, z.enum(values as unknown as [T[number], ...T[number][]]).optional()).catch(undefined)
export const many = () => z.preprocess(list, z.array(z.string().min(1)).min(1).optional()).catch(undefined)
/** Several of some values. Unknown ones are dropped, because a newer console may have written them. */
export const manyOf = <const T extends readonly [string, ...string[]]>(values: T) => {
  const known = (given: unknown): unknown => {
    const found = [list(given)].flat().filter((value) => values.some((one) => one === value))
    return found.length === 0 ? undefined : [...new Set(found)]
  }
  const Value = z.enum(values as unknown as [T[number], ...T[number][]])
  return z.preprocess(known, z.array(Value).optional()).catch(undefined)
}
/** A time, converted to ISO 8601 in UTC. */
export const instant = () =>
  z.preprocess((value) => {
    const at = new Date(String(last(value)))
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
  }, z.string().optional())
/** A number of 0 or more. */
export const figure = () => z.preprocess(last, z.coerce.number().min(0).optional()).catch(undefined)

/** Search parameters of every list page. */
export const listSearch = { q: one(), cursor: one(), sort: one() }

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
