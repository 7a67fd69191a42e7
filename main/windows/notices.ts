import type { FailedRuns } from '../../contract/system/desktop.ts'
import type { Clock } from '../lib/clock.ts'
import { texts } from './texts.ts'

/** Minimum time between two notifications, in milliseconds. */
const pauseMs = 60_000

export type Notice = { readonly title: string; readonly body: string }

export type NoticesOptions = {
  readonly clock: Clock
  /** Called for each notification. False unless the user has chosen notifications. */
  readonly isEnabled: () => boolean
  readonly show: (notice: Notice, onClick: () => void) => void
  readonly open: (path: string) => void
}

/** Notifies the user of failed runs: the first immediately, those of the next minute together at its end. */
export function createNotices({ clock, isEnabled, show, open }: NoticesOptions) {
  let pending: FailedRuns | null = null
  let isPausing = false

  const notify = ({ count, newestId, name }: FailedRuns) => {
    const path = count === 1 ? `/runs/${newestId}` : '/runs?status=error'
    show({ title: texts.failedRuns(count), body: texts.failedRunsBody(count, name) }, () => open(path))
    isPausing = true
    clock.after(pauseMs, () => {
      isPausing = false
      const next = pending
      pending = null
      if (next !== null && isEnabled()) notify(next)
    })
  }

  return {
    runsFailed(report: FailedRuns): void {
      if (!isEnabled()) return
      if (isPausing) pending = { ...report, count: report.count + (pending?.count ?? 0) }
      else notify(report)
    },
  }
}
