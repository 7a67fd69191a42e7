import { describe, expect, test } from 'vitest'
import { createMutex } from '../../server/lib/async/mutex.ts'
import { createSerialQueue } from '../../server/lib/async/serial-queue.ts'

type Run = <T>(job: () => Promise<T>) => Promise<T>

async function runsInOrder(run: Run, idle?: () => Promise<void>): Promise<void> {
  const steps: string[] = []
  const job = (name: string, error?: Error) => async () => {
    steps.push(`begin ${name}`)
    await Promise.resolve()
    steps.push(`end ${name}`)
    if (error !== undefined) throw error
    return name
  }
  const failed = run(job('a', new Error('broken')))
  const second = run(job('b'))
  await expect(failed).rejects.toThrow('broken')
  expect(await second).toBe('b')
  await idle?.()
  expect(steps).toEqual(['begin a', 'end a', 'begin b', 'end b'])
}

describe('a mutex', () => {
  test('runs the work of its callers in order of arrival, also after a failure', async () => {
    const mutex = createMutex()
    await runsInOrder(mutex.run)
    await runsInOrder(mutex.run)
  })
})

describe('a serial queue', () => {
  test('runs one job after the other, also after a failed one', () => {
    const queue = createSerialQueue()
    return runsInOrder(queue.run, queue.idle)
  })
})
