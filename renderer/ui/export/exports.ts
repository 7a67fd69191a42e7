import type { QueryInput } from '../../../contract/client.ts'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import type { exportFormats } from '../../../contract/common/fields.ts'
import { formatBytes, formatNumber } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { download, type Progress } from '../../lib/service/download.ts'
import { session } from '../../lib/session/session.ts'
import { createStore } from '../../lib/state/store.ts'
import { exportCount, toast } from '../feedback/toast.ts'

export type ExportRequest = {
  readonly endpoint: Endpoint
  /** Returns the active filters. Called when the export starts. */
  readonly query: () => QueryInput
  /** Names what is exported: "Runs". */
  readonly label: string
  /** Name of the file without its extension, if the service sends none. */
  readonly fileName: string
  /** Number of filtered rows, if it is known exactly. */
  readonly total: number | undefined
  readonly format: (typeof exportFormats)[number]
}

export type ExportJob = {
  readonly id: number
  readonly request: ExportRequest
  readonly progress: Progress
  /** Null unless the export failed. */
  readonly error: unknown
  readonly cancel: () => void
}

/**
 * Running exports, and failed ones until they are dismissed. They continue while the user moves between
 * pages.
 */
export const exportJobs = createStore<readonly ExportJob[]>([])

exportJobs.subscribe(() => exportCount.set(exportJobs.get().length))

/** Interval of progress updates, in milliseconds. Chunks arrive far more often. */
const progressMs = 100
let lastId = 0

const update = (id: number, patch: Partial<ExportJob>): void =>
  exportJobs.set(exportJobs.get().map((job) => (job.id === id ? { ...job, ...patch } : job)))

/** Removes an export from the list. */
export const dismissExport = (id: number): void =>
  exportJobs.set(exportJobs.get().filter((job) => job.id !== id))

/** Starts an export and shows its progress. Signing out cancels it. A failed export stays in `exportJobs`. */
export async function startExport(request: ExportRequest): Promise<void> {
  lastId += 1
  const id = lastId
  const { label, format } = request
  const abort = new AbortController()
  const cancel = (): void => abort.abort()
  const job: ExportJob = { id, request, progress: { bytes: 0, rows: 0 }, error: null, cancel }
  exportJobs.set([...exportJobs.get(), job])
  const unsubscribe = session.subscribe(() => session.token() === null && cancel())
  let shownAt = 0
  const onProgress = (progress: Progress): void => {
    if (Date.now() - shownAt < progressMs) return
    shownAt = Date.now()
    update(id, { progress })
  }
  try {
    const { rows, bytes } = await download(request.endpoint, {
      query: request.query(),
      fallbackName: `${request.fileName}.${format}`,
      format,
      signal: abort.signal,
      onProgress,
    })
    dismissExport(id)
    const size = formatBytes(bytes)
    toast(t('common:export.done', { label, count: rows, rows: formatNumber(rows), size }))
  } catch (error) {
    if (abort.signal.aborted) {
      dismissExport(id)
      toast(t('common:export.cancelled', { label }))
    } else {
      update(id, { error })
    }
  } finally {
    unsubscribe()
  }
}
