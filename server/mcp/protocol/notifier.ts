import type { ServerResponse } from 'node:http'

/** Time in which changes become one notification, in milliseconds. */
const coalesceMs = 50

/** Creates a function that announces changes: several become one, and a client that does not read gets none. */
export function createNotifier(res: ServerResponse, send: () => Promise<void>) {
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  const sendNow = () => {
    timer = null
    if (isClosed) return
    // The notification states only that something changed, so one is enough for a client that does not read.
    if (res.writableNeedDrain) res.once('drain', changed)
    // It fails if the stream has just ended.
    else send().catch(() => undefined)
  }
  const changed = () => {
    if (isClosed || timer !== null) return
    timer = setTimeout(sendNow, coalesceMs)
    timer.unref()
  }

  return {
    changed,
    close() {
      isClosed = true
      res.off('drain', changed)
      if (timer !== null) clearTimeout(timer)
    },
  }
}
