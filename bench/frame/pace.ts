import { setTimeout as pause } from 'node:timers/promises'

export type Pace = { readonly perSecond: number; readonly seconds: number }

/**
 * Starts work at a constant rate, without waiting for earlier work. Returns the milliseconds from each scheduled start to
 * the end of its work, so that a delay counts for all work that it delays.
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
