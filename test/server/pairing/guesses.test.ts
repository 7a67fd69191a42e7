import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeAlphabet, codeLength, maxWrongCodes } from '../../../contract/accounts/pairing.ts'
import { createThrottle } from '../../../server/auth/throttle.ts'
import { createRecords } from '../../../server/db/records.ts'
import type { Tx } from '../../../server/db/types.ts'
import { newWindowSecrets } from '../../../server/features/pairing/codes.ts'
import { present } from '../../../server/features/pairing/pair.ts'
import type { PairingRecord, Window } from '../../../server/features/pairing/pairing.records.ts'
import { type PairingState, sweep } from '../../../server/features/pairing/pairing.state.ts'
import { addWindow, lifetimeMs, openWindows } from '../../../server/features/pairing/windows.ts'
import { type Actor, type Context, systemContext } from '../../../server/lib/context.ts'

const guesses = 20_000
/** The attacker has a home network: each address may guess once a minute, see the throttle. */
const addresses = 500
const minuteMs = 60_000

const opener = { principal: 'user:u1', name: 'admin' }
const anonymous: Actor = { kind: 'anonymous', id: null, name: 'anonymous', role: null, sessionId: null }

/** Runs a transaction of a store that does not fail. */
async function runAtOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const callbacks: (() => void)[] = []
  // Nothing but audit entries is stored, and they are substituted.
  const result = await work({
    afterCommit: (callback: () => void) => void callbacks.push(callback),
  } as unknown as Tx)
  for (const callback of callbacks) callback()
  return result
}

/** The function that checks a code, with its throttle and windows. Only clock, store and audit log are substituted. */
function guessable() {
  let nowMs = Date.UTC(2026, 10, 21)
  const clock = { now: () => new Date(nowMs) }
  const recorded = { wrong: 0, closed: 0 }
  const count = (name: keyof typeof recorded) => {
    recorded[name] += 1
  }
  const records = createRecords<PairingRecord<never>>({ write: runAtOnce })
  const state = {
    clock,
    records,
    newId: () => 'sweep',
    throttle: createThrottle({ clock, noun: 'pairing codes' }),
    failedCodes: { record: async () => count('wrong') },
    history: { record: async () => count('closed') },
  } as unknown as PairingState<never>
  let windows = 0
  const open = async (secrets = newWindowSecrets()): Promise<Window> => {
    windows += 1
    const { codeHash, secretHash } = secrets
    const window: Window = {
      record: 'window',
      id: `w${windows}`,
      opener,
      rights: { role: 'viewer', access: 'all', memberships: [] },
      createdAtMs: nowMs,
      expiresAtMs: nowMs + lifetimeMs,
      hashes: { codeHash, secretHash },
      state: 'open',
      wrongCodes: 0,
    }
    await records.change(async (draft) => void addWindow(draft, window))
    return window
  }
  const isOpen = async () => openWindows(await records.all()).length > 0
  const contextOf = (address: number): Context => ({
    ...systemContext(clock.now(), 'r'),
    actor: anonymous,
    ip: `198.18.${address >> 8}.${address & 255}`,
  })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { state, recorded, open, isOpen, contextOf, pass }
}

/** All symbols are equally likely: 256 is a multiple of their number. */
const guessedCode = () => {
  const symbols = Array.from(randomBytes(codeLength), (byte) => codeAlphabet[byte % codeAlphabet.length])
  return { kind: 'code', text: symbols.join('') } as const
}

/** Returns the status of a refusal; 200 if the code was right. */
const statusOf = (presented: Promise<Window>): Promise<number> =>
  presented.then(
    () => 200,
    (error: { status: number }) => error.status,
  )

describe('twenty thousand guesses', () => {
  const { stackTraceLimit } = Error
  // Each refusal is an error, whose stack takes a quarter of the time and is not read.
  beforeEach(() => {
    Error.stackTraceLimit = 0
  })
  afterEach(() => {
    Error.stackTraceLimit = stackTraceLimit
  })

  it('find no code, although an admin always has a window open', { timeout: 60_000 }, async () => {
    const { state, recorded, open, isOpen, contextOf, pass } = guessable()
    const counts = { tried: 0, throttled: 0, hits: 0, opened: 1 }
    await open()
    const guess = async (address: number) => {
      if (!(await isOpen())) {
        await open()
        counts.opened += 1
      }
      const result = await statusOf(present(state, contextOf(address), guessedCode()))
      counts[result === 429 ? 'throttled' : result === 401 ? 'tried' : 'hits'] += 1
    }
    while (counts.tried < guesses) {
      for (let address = 0; address < addresses; address += 1) await guess(address)
      pass(minuteMs)
      await sweep(state, state.clock.now())
    }
    const { tried, throttled, hits, opened } = counts
    expect(tried).toBe(guesses)
    expect(hits).toBe(0)
    expect(recorded.wrong).toBe(guesses)
    // Each window ends after ten wrong codes.
    expect(opened).toBe(guesses / maxWrongCodes)
    expect(recorded.closed).toBe(guesses / maxWrongCodes)
    // The odds of one hit in a million guesses, because all codes are equally likely: less than one in a million.
    expect(1e6 / codeAlphabet.length ** codeLength).toBeLessThan(1e-6)
    // At one guess a minute and address, it takes hours.
    expect(throttled).toBe(0)
  })

  it('would have found a right code: the same function accepts it', async () => {
    const { state, open, contextOf } = guessable()
    const secrets = newWindowSecrets()
    const window = await open(secrets)
    expect(await present(state, contextOf(1), { kind: 'code', text: secrets.code })).toBe(window)
    expect(await present(state, contextOf(1), { kind: 'secret', text: secrets.secret })).toBe(window)
  })

  it('are delayed from one address to at most one a minute', async () => {
    const { state, open, contextOf, pass } = guessable()
    let tried = 0
    for (let second = 0; second < 3600; second += 1) {
      await open()
      const result = await statusOf(present(state, contextOf(1), guessedCode()))
      if (result === 401) tried += 1
      pass(1000)
    }
    expect(tried).toBeGreaterThan(60)
    expect(tried).toBeLessThan(80)
  })
})

describe('codes', () => {
  it('use each of the 32 symbols at each place', () => {
    const seen = Array.from({ length: codeLength }, () => new Set<string>())
    for (let count = 0; count < 2_000; count += 1)
      for (const [place, symbol] of [...newWindowSecrets().code].entries()) seen[place]?.add(symbol)
    for (const symbols of seen) expect([...symbols].toSorted().join('')).toBe(codeAlphabet)
  })
})
