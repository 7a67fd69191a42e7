import type { Excerpt } from '../../../../../contract/runs/run-content.ts'
import type { ContentIndex, IndexProgress } from '../content-index.ts'
import type { ContentQuery } from '../content-query.ts'
import type { Candidate, CandidateOptions } from '../day/candidates.ts'
import type { LineRef } from '../day/day-index.ts'
import type { DayEnd, IndexFolders } from '../day/open-days.ts'
import type { ContentLine } from '../day/read-excerpts.ts'
import type { Key } from '../segment/format.ts'

/** The data that the thread starts with. */
export type ThreadData = IndexFolders

/** Calls of the index, with their arguments and results. */
export type Calls = {
  readonly catchUp: { args: [ends: readonly DayEnd[], waitMs: number]; result: IndexProgress }
  readonly candidates: { args: [query: ContentQuery, options: CandidateOptions]; result: Candidate[] }
  readonly excerpts: {
    args: [query: ContentQuery, lines: readonly ContentLine[]]
    result: (Excerpt | null)[]
  }
  readonly remove: { args: [day: number]; result: undefined }
  readonly close: { args: []; result: undefined }
}
export type CallName = keyof Calls & keyof ContentIndex

export type ToThread =
  | { readonly follow: readonly DayEnd[] }
  | { readonly call: number; readonly name: CallName; readonly args: readonly unknown[] }
  | { readonly rows: number; readonly found: ReadonlyMap<number, Key> | null }

export type FromThread =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: string }
  | { readonly rows: number; readonly day: number; readonly refs: readonly LineRef[] }
  | { readonly report: string }
