/** Calls `work` at an interval in milliseconds until the returned function is called. */
export type Every = (ms: number, work: () => void) => () => void

/** Uses a timer that does not keep the process alive. */
export const systemEvery: Every = (ms, work) => {
  const handle = setInterval(work, ms)
  handle.unref()
  return () => clearInterval(handle)
}
