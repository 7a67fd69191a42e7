import { describe, expect, test } from 'vitest'
import { createMutex } from '../../server/lib/async/mutex.ts'
import { createSerialQueue } from '../../server/lib/async/serial-queue.ts'

describe('a mutex', () => {
  test('is acquired immediately if it is free, otherwise in order of arrival', async () => {
    const mutex = createMutex()
    expect(mutex.acquire()).toBeUndefined()
    const order: number[] = []
    const waiting = [1, 2].map((id) => mutex.acquire()?.then(() => order.push(id)))
    expect(waiting.every((promise) => promise !== undefined)).toBe(true)
    mutex.release()
    await waiting[0]
    expect(order).toEqual([1])
    mutex.release()
    await waiting[1]
    expect(order).toEqual([1, 2])
    mutex.release()
    expect(mutex.acquire()).toBeUndefined()
  })
})

describe('a serial queue', () => {
  test('runs one job after the other, also after a failed one', async () => {
    const queue = createSerialQueue()
    const steps: string[] = []
    const job = (name: string, error?: Error) => async () => {
      steps.push(`begin ${name}`)
      await Promise.resolve()
      steps.push(`end ${name}`)
      if (error !== undefined) throw error
      return name
    }
    const failed = queue.run(job('a', new Error('broken')))
    const second = queue.run(job('b'))
    await expect(failed).rejects.toThrow('broken')
    expect(await second).toBe('b')
    await queue.idle()
    expect(steps).toEqual(['begin a', 'end a', 'begin b', 'end b'])
  })
})
