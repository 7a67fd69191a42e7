import type { FailedRuns } from '../contract/desktop.ts'
import type { Clock } from './clock.ts'
import { texts } from './texts.ts'

/** However often runs fail, a person is called once in this time, ms. */
const pauseMs = 60_000

export type Notice = { readonly title: string; readonly body: string }

export type NoticesOptions = {
  readonly clock: Clock
  /** Asked each time: off unless a person chose it. */
  readonly isWanted: () => boolean
  readonly show: (notice: Notice, onClick: () => void) => void
  readonly open: (path: string) => void
}

/** Calls a person about failed runs: the first at once, those within the next minute together at its end. */
export function createNotices({ clock, isWanted, show, open }: NoticesOptions) {
  let waiting: FailedRuns | null = null
  let isPausing = false

  const call = ({ count, newestId, name }: FailedRuns) => {
    const path = count === 1 ? `/runs/${newestId}` : '/runs?status=error'
    show({ title: texts.failedRuns(count), body: texts.failedRunsBody(count, name) }, () => open(path))
    isPausing = true
    clock.after(pauseMs, () => {
      isPausing = false
      const next = waiting
      waiting = null
      if (next !== null && isWanted()) call(next)
    })
  }

  return {
    runsFailed(report: FailedRuns): void {
      if (!isWanted()) return
      if (isPausing) waiting = { ...report, count: report.count + (waiting?.count ?? 0) }
      else call(report)
    },
  }
}
