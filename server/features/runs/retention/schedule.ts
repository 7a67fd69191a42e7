import { minuteMs } from '../../../lib/durations.ts'
import { type Every, systemEvery } from '../../../lib/every.ts'

export type Schedule = {
  /** Runs the next round now, because a setting changed. */
  runNow(): void
  close(): Promise<void>
}

const intervalMs = minuteMs

/** Deletes expired runs and compacts roll-ups every minute, in small amounts. */
export function startRunSchedule(deps: {
  readonly runs: { maintain(): Promise<unknown> }
  readonly onError: (error: unknown) => void
  /** Calls `work` repeatedly until the returned function is called. */
  readonly every?: Every
}): Schedule {
  const startTimer = deps.every ?? systemEvery
  let running: Promise<unknown> = Promise.resolve()
  let isWaiting = false
  const runNow = () => {
    if (isWaiting) return
    isWaiting = true
    running = running.then(() => {
      isWaiting = false
      return deps.runs.maintain()
    })
    running = running.catch(deps.onError)
  }
  const stop = startTimer(intervalMs, runNow)
  return {
    runNow,
    async close() {
      stop()
      await running
    },
  }
}
