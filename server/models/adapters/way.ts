/** Calls that go on in one turn of the event loop. */
const together = 4

/**
 * Where calls that never wait for anything outside let others go first, in the order they came: a few go on in each turn
 * of the event loop, so that a thousand of them hold up neither a request nor a timer.
 */
export function createWay(): () => Promise<void> {
  const waiting: (() => void)[] = []
  let isOpening = false

  const open = () => {
    isOpening = false
    for (const go of waiting.splice(0, together)) go()
    if (waiting.length > 0) openNext()
  }
  const openNext = () => {
    if (isOpening) return
    isOpening = true
    setImmediate(open)
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      openNext()
    })
}
