const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls `cleanUp` before a signal that nothing else handles ends the process. Returns a function that removes the handlers. */
export function beforeSignals(cleanUp: () => void): () => void {
  const end = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return
    stop()
    cleanUp()
    process.kill(process.pid, signal)
  }
  const stop = (): void => {
    for (const signal of signals) process.off(signal, end)
  }
  for (const signal of signals) process.on(signal, end)
  return stop
}
