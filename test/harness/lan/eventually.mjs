// @ts-check
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'

/** Polls until a result is there. @template T @param {() => Promise<T | null | undefined | false>} read @param {number} ms @returns {Promise<T>} */
export async function eventually(read, ms = 20_000, state = () => '') {
  for (const giveUpAt = Date.now() + ms; ; ) {
    const found = await read()
    if (found) return found
    // Lets output of programs arrive.
    await setImmediate()
    assert.ok(Date.now() < giveUpAt, `not within ${ms} ms: ${read}\n${state()}`)
  }
}
