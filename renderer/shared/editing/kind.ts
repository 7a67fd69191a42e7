import type { QueryClient } from '@tanstack/react-query'
import type { draftName } from '../../lib/state/drafts.ts'

/** A resource that can be edited: its ETag shows whether another user changed it. */
export type Versioned = { readonly id: string; readonly etag: string; readonly updated_at: string }

/** The description of one kind of resource that is edited. Fields of a draft are compared as JSON. */
export type EditingKind<T extends Versioned, D extends object> = {
  readonly noun: Parameters<typeof draftName>[0]
  readonly draftOf: (saved: T) => D
  readonly queryKeyOf: (id: string) => readonly unknown[]
  readonly fetch: (id: string) => Promise<T>
  /** Sends only changed fields, so that another user's change of another field is kept. */
  readonly update: (id: string, before: D, after: D, message: string, etag: string) => Promise<T>
  /** Invalidates the queries that a change affects. */
  readonly refresh: (queries: QueryClient, saved: T) => Promise<unknown>
  readonly savedText: (saved: T) => string
}
