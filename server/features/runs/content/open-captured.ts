import { storesPayloads } from '../../../db/dialect/payloads.ts'
import type { Db } from '../../../db/types.ts'
import type { ObjectStore } from '../payloads/objects/object-store.ts'
import { createPayloads, type Payloads } from '../payloads/payload-files.ts'
import type { PayloadLimits } from '../payloads/payload-limits.ts'
import { createStoredPayloads } from '../payloads/stored/stored-payloads.ts'
import { type ContentSearch, createContentSearch } from './content-search.ts'
import { importPayloadFiles } from './stored/import-files.ts'
import { createStoredSearch } from './stored/stored-search.ts'
import { termsOf } from './terms.ts'

type Deps = {
  readonly db: Db
  readonly payloadFolder: string
  readonly storeId: string
  readonly limits: () => PayloadLimits
  readonly objects: ObjectStore | null
  readonly onError: (error: unknown) => void
}

/** Captured texts and their search: files with an index beside the store, or tables of the database. */
export type CapturedTexts = { readonly payloads: Payloads; readonly content: ContentSearch }

export const openCaptured = (deps: Deps): CapturedTexts =>
  storesPayloads(deps.db.read) ? openStored(deps) : openFiles(deps)

function openFiles({ db, payloadFolder, storeId, limits, onError }: Deps): CapturedTexts {
  const ends = () => payloads.ends()
  const content = createContentSearch({ q: db.read, payloadFolder, storeId, ends, onError })
  const payloads = createPayloads(payloadFolder, limits, content.listener)
  return { payloads, content }
}

function openStored({ db, payloadFolder, limits, objects, onError }: Deps): CapturedTexts {
  let importing: Promise<void> | null = null
  /** Imports payload files once. A failed import runs again with the next call. */
  const ensureImported = (): Promise<void> => {
    importing ??= importPayloadFiles({ db, folder: payloadFolder, termsOf, onError }).catch((error) => {
      importing = null
      throw error
    })
    return importing
  }
  const stored = createStoredPayloads({ db, limits, termsOf, objects, ensureImported, onError })
  const files = createPayloads(payloadFolder, limits)
  const payloads = {
    ...stored,
    /** Also removes expired payload files, which remain after the import. */
    async prune(now: Date) {
      await stored.prune(now)
      await files.prune(now)
    },
  }
  return { payloads, content: createStoredSearch({ q: db.read, payloads, ensureImported }) }
}
