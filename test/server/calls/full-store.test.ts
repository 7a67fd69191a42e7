import { describe, expect, test } from 'vitest'
import type { RecordCall } from '../../../server/calls/intents/record.ts'
import { fail } from '../../../server/lib/fail.ts'
import {
  call,
  callsWith,
  delta,
  emitting,
  end,
  intents,
  log,
  recover,
  runs,
  setUpLog,
} from './parts-support.ts'

setUpLog()

/** Returns a store that accepts `capacity` runs, then is full until the capacity is raised. */
function limitedStore(capacity: number) {
  const store = { capacity }
  const record: RecordCall = async (...args) => {
    if (store.capacity <= 0) throw fail('store.full')
    store.capacity -= 1
    return log.runs.record(...args)
  }
  return { store, record }
}

describe('a store that cannot accept the run', () => {
  test('returns the output with the reason; the run is stored when there is space', async () => {
    const { store, record } = limitedStore(0)
    const calls = callsWith(emitting([delta('Hello'), end]), record)
    await expect(call(calls)).rejects.toMatchObject({
      code: 'store.full',
      message: expect.stringContaining('The model responded'),
      extra: { call: { rendered: 'Hi world', output: 'Hello', runId: null, errorType: null } },
    })
    expect([await runs(), await intents()]).toMatchObject([[], [{ request_id: 'request-1' }]])
    store.capacity = 1
    await calls.close()
    expect([await runs(), await intents()]).toMatchObject([[{ status: 'ok', output_tokens: 5 }], []])
  })
  test('logs the call as interrupted once at the next start, if the service ends before', async () => {
    const calls = callsWith(emitting([delta('Hello'), end]), limitedStore(0).record)
    await expect(call(calls)).rejects.toMatchObject({ code: 'store.full' })
    await calls.close()
    log.now += 60_000
    expect([await recover(), await recover()]).toEqual([1, 0])
    expect(await runs()).toMatchObject([
      {
        status: 'error',
        error: 'interrupted: The service stopped during the call',
        error_type: 'interrupted',
        latency_ms: 0,
        prompt_tokens: null,
        cost_usd: null,
        user: 'edda',
        provider: 'openai',
        model: 'gpt-4o',
        ref_key: 'greet',
        parent_id: 'trace-7',
        reported: false,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ])
  })
  test('continues at the next start after a failed one, and stores no run twice', async () => {
    const { store, record } = limitedStore(0)
    const calls = callsWith(emitting([end]), record)
    await Promise.allSettled(Array.from({ length: 12 }, () => call(calls)))
    expect(await intents()).toHaveLength(12)
    await expect(recover(limitedStore(5).record)).rejects.toMatchObject({ code: 'store.full' })
    await expect.poll(runs).toHaveLength(5)
    expect([await recover(), (await runs()).length]).toEqual([7, 12])
    // The first process still waits to store the same calls.
    store.capacity = 12
    await calls.close()
    expect(await runs()).toHaveLength(12)
    expect(await intents()).toEqual([])
  })
  test('logs a call that was interrupted long ago, then deletes it by age', async () => {
    const calls = callsWith(emitting([end]), limitedStore(0).record)
    await call(calls).catch(() => {})
    log.now += 200 * 86_400_000
    expect(await recover()).toBe(1)
    expect(await runs()).toHaveLength(1)
    await log.runs.maintain()
    expect(await runs()).toEqual([])
    await calls.close()
  })
})
