import { setTimeout as pause } from 'node:timers/promises'

export type Pace = { readonly perSecond: number; readonly seconds: number }

/**
 * Starts the work at even times, also while earlier work is not done, and returns the milliseconds from each of these
 * times to the end of its work. So a delay counts for everything that it delays.
 */
export async function pace({ perSecond, seconds }: Pace, work: (n: number) => Promise<unknown>) {
  const startedAt = performance.now()
  const done: Promise<number>[] = []
  const timed = async (n: number, dueAt: number): Promise<number> => {
    await work(n)
    return performance.now() - dueAt
  }
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const dueAt = startedAt + (n / perSecond) * 1000
    const wait = dueAt - performance.now()
    if (wait > 0) await pause(wait)
    done.push(timed(n, dueAt))
  }
  return Promise.all(done)
}
