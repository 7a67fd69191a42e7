import { describe, expect, it } from 'vitest'
import { createThrottle, networkOf } from '../../../server/auth/throttle.ts'
import { Problem } from '../../../server/lib/fail.ts'

function setUp(options: Partial<Parameters<typeof createThrottle>[0]> = {}) {
  let nowMs = Date.parse('2026-11-21T09:30:00.000Z')
  const throttle = createThrottle({ clock: { now: () => new Date(nowMs) }, ...options })
  /** Returns `ok`, `wrong`, or the seconds to wait. */
  const attempt = async (name: string, address: string, isCorrect = false): Promise<string | number> => {
    try {
      return (await throttle.attempt(name, address, async () => (isCorrect ? true : null))) ? 'ok' : 'wrong'
    } catch (error) {
      if (error instanceof Problem && error.code === 'rate_limited') return error.extra.retryAfter ?? -1
      throw error
    }
  }
  return {
    throttle,
    attempt,
    pass: (ms: number) => {
      nowMs += ms
    },
    fail: async (times: number, name = 'edda', address = '10.0.0.1') => {
      const outcomes: (string | number)[] = []
      for (let i = 0; i < times; i += 1) outcomes.push(await attempt(name, address))
      return outcomes
    },
  }
}

describe('one name from one address', () => {
  it('may fail five times without a wait, then waits 1, 2, 4, … up to 60 s', async () => {
    const { attempt, fail, pass } = setUp()
    expect(await fail(5)).toEqual(Array(5).fill('wrong'))
    for (const wait of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      expect(await attempt('edda', '10.0.0.1')).toBe(wait)
      pass(wait * 1000 - 1)
      expect(await attempt('edda', '10.0.0.1', true)).toBe(1)
      pass(1)
      expect(await attempt('edda', '10.0.0.1')).toBe('wrong')
    }
  })

  it('does not wait longer after attempts during the wait', async () => {
    const { attempt, fail, pass } = setUp()
    await fail(5)
    for (let i = 0; i < 50; i += 1) expect(await attempt('edda', '10.0.0.1')).toBe(1)
    pass(1000)
    expect(await attempt('edda', '10.0.0.1', true)).toBe('ok')
  })

  it('starts again after a success', async () => {
    const { attempt, fail, pass } = setUp()
    await fail(5)
    pass(1000)
    expect(await attempt('edda', '10.0.0.1', true)).toBe('ok')
    expect(await fail(5)).toEqual(Array(5).fill('wrong'))
  })

  it('no longer counts a failure after 15 minutes', async () => {
    const { attempt, fail, pass } = setUp()
    await fail(4)
    pass(14 * 60_000)
    await fail(1)
    expect(await attempt('edda', '10.0.0.1', true)).toBe(1)
    pass(60_000)
    expect(await fail(4)).toEqual(Array(4).fill('wrong'))
  })

  it('ignores the case of the name', async () => {
    const { attempt, fail } = setUp()
    await fail(3, 'edda')
    await fail(2, 'EDDA')
    expect(await attempt('Edda', '10.0.0.1')).toBe(1)
  })

  it.each([
    ['another address', 'edda', '10.0.0.2'],
    ['another name', 'egil', '10.0.0.1'],
  ])('does not affect %s', async (_, name, address) => {
    const { attempt, fail } = setUp()
    await fail(5)
    expect(await attempt(name, address, true)).toBe('ok')
  })

  it('uses the configured number of free attempts', async () => {
    const { attempt, fail } = setUp({ perUser: 2 })
    await fail(2)
    expect(await attempt('edda', '10.0.0.1')).toBe(1)
  })
})

describe('one address', () => {
  it('waits after twenty failures of any names', async () => {
    const { attempt, pass } = setUp()
    for (let i = 0; i < 20; i += 1) expect(await attempt(`name-${i}`, '10.0.0.1')).toBe('wrong')
    expect(await attempt('edda', '10.0.0.1', true)).toBe(1)
    expect(await attempt('edda', '10.0.0.2', true)).toBe('ok')
    pass(1000)
    expect(await attempt('edda', '10.0.0.1', true)).toBe('ok')
  })

  it('is a whole /64 for IPv6', async () => {
    const { attempt } = setUp()
    for (let i = 0; i < 20; i += 1) await attempt(`name-${i}`, `2001:db8:1:2::${i + 1}`)
    expect(await attempt('edda', '2001:db8:1:2:ffff::9', true)).toBe(1)
    expect(await attempt('edda', '2001:db8:1:3::1', true)).toBe('ok')
  })

  it('does not exceed the limit with concurrent attempts', async () => {
    const { throttle } = setUp()
    let checked = 0
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, () =>
        throttle.attempt('edda', '10.0.0.1', async () => {
          checked += 1
          await new Promise((resolve) => setImmediate(resolve))
          return null
        }),
      ),
    )
    expect(checked).toBe(5)
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(55)
  })

  it('has a limited queue', async () => {
    const { throttle } = setUp({ maxWaiting: 3 })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => throttle.attempt('edda', '10.0.0.1', async () => true)),
    )
    expect(results.map((result) => result.status)).toEqual([
      ...Array(3).fill('fulfilled'),
      ...Array(7).fill('rejected'),
    ])
  })

  it('continues after a check that threw, which is not counted', async () => {
    const { throttle, attempt, fail } = setUp()
    const broken = throttle.attempt('edda', '10.0.0.1', () => Promise.reject(new Error('store is gone')))
    await expect(broken).rejects.toThrow('store is gone')
    expect(await fail(5)).toEqual(Array(5).fill('wrong'))
    expect(await attempt('edda', '10.0.0.1')).toBe(1)
  })
})

describe('memory', () => {
  it('is bounded: the least recently used entry is removed', async () => {
    const { attempt, fail } = setUp({ maxRemembered: 50, perAddress: 1000 })
    await fail(5)
    for (let i = 0; i < 200; i += 1) await attempt(`name-${i}`, '10.0.0.9')
    expect(await attempt('edda', '10.0.0.1')).toBe('wrong')
  })
})

describe('the network of an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['FE80::A', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%s is %s', (address, expected) => {
    expect(networkOf(address)).toBe(expected)
  })
})
