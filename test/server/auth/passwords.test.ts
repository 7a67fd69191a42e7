import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { weaknessOf } from '../../../server/auth/passwords/password-policy.ts'
import { createPasswords, type Passwords } from '../../../server/auth/passwords/passwords.ts'

describe('hashing', () => {
  let passwords: Passwords
  beforeAll(() => {
    passwords = createPasswords({ cost: 4 })
  })
  afterAll(() => passwords.close())

  it('creates a bcrypt hash with a new salt each time', async () => {
    const [first, second] = [await passwords.hash('a fine phrase'), await passwords.hash('a fine phrase')]
    expect(first).toMatch(/^\$2[aby]\$04\$[./A-Za-z0-9]{53}$/)
    expect(second).not.toBe(first)
  })

  it.each([
    ['the same password', 'a fine phrase', 'a fine phrase', true],
    ['another password', 'a fine phrase', 'a fine phrasE', false],
    ['a difference after 72 bytes', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`, false],
    ['a difference after a NUL', 'before\0after', 'before\0other', false],
    ['256 characters of four bytes each', '😀'.repeat(128), '😀'.repeat(128), true],
    ['composed and decomposed letters', 'Caf\u00e9 au lait', 'Cafe\u0301 au lait', true],
    ['an empty attempt', 'a fine phrase', '', false],
  ])('%s', async (_, password, attempt, expected) => {
    expect(await passwords.matches(attempt, await passwords.hash(password))).toBe(expected)
  })

  it('never matches a user who does not exist', async () => {
    for (const attempt of ['', 'admin', 'a fine phrase'])
      expect(await passwords.matches(attempt, null)).toBe(false)
  })

  it('does not match a stored value that is not a hash', async () => {
    expect(await passwords.matches('a fine phrase', 'not a hash')).toBe(false)
  })

  it('rejects jobs if too many wait, and completes the accepted ones', async () => {
    const small = createPasswords({ cost: 4, maxWaiting: 3 })
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => small.hash('a fine phrase')))
    const refused = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
    expect(results.length - refused.length).toBeGreaterThanOrEqual(3)
    expect(refused.length).toBeGreaterThan(0)
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'rate_limited', extra: { retryAfter: 5 } })
    expect(await small.hash('later')).toMatch(/^\$2/)
    await small.close()
  })

  it('refuses jobs after it was closed', async () => {
    const closed = createPasswords({ cost: 4 })
    const running = closed.hash('a fine phrase')
    const settled = running.then(
      () => 'done',
      () => 'refused',
    )
    await closed.close()
    expect(['done', 'refused']).toContain(await settled)
    await expect(closed.hash('a fine phrase')).rejects.toMatchObject({ code: 'store.unavailable' })
  })
})

it('uses 2^12 rounds by default', async () => {
  const passwords = createPasswords()
  expect(await passwords.hash('a fine phrase')).toContain('$12$')
  await passwords.close()
}, 60_000)

describe('while hashing is slow', () => {
  let passwords: Passwords
  let hash: string
  beforeAll(async () => {
    passwords = createPasswords({ cost: 10 })
    hash = await passwords.hash('a fine phrase')
  })
  afterAll(() => passwords.close())

  it('takes equally long for an unknown user and for a wrong password', async () => {
    // CPU time of all threads, so that other load does not affect the result.
    const cost = async (storedHash: string | null) => {
      const before = process.cpuUsage()
      await passwords.matches('wrong', storedHash)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const [known, unknown]: [number[], number[]] = [[], []]
    for (let round = 0; round < 4; round += 1) {
      known.push(await cost(hash))
      unknown.push(await cost(null))
    }
    const ratio = Math.min(...unknown) / Math.min(...known)
    expect(ratio).toBeGreaterThan(0.7)
    expect(ratio).toBeLessThan(1.4)
  })

  it('does not block the event loop', async () => {
    let iterations = 0
    let isHashing = true
    const iterate = () => {
      iterations += 1
      if (isHashing) setImmediate(iterate)
    }
    setImmediate(iterate)
    await Promise.all(Array.from({ length: 3 }, () => passwords.matches('wrong', hash)))
    isHashing = false
    // Hashing on this thread would allow one iteration per hash.
    expect(iterations).toBeGreaterThan(100)
  })
})

describe('weak passwords', () => {
  let passwords: Passwords
  beforeAll(() => {
    passwords = createPasswords({ cost: 4 })
  })
  afterAll(() => passwords.close())

  it.each([
    ['a common password', 'password123', 'edda', /common/],
    ['a common password in capitals', 'PassWord123', 'edda', /common/],
    ['a common password in full-width letters', 'ｐassword', 'edda', /common/],
    ['the username', 'edda-the-great', 'edda-the-great', /username/],
    ['the username in another case', 'EDDA-the-great', 'edda-the-great', /username/],
    ['one character', '~~~~~~~~~~~~', 'edda', /repeats/],
    ['one emoji', '🦊🦊🦊🦊🦊🦊🦊🦊', 'edda', /repeats/],
    ['two alternating characters', 'x7x7x7x7x7', 'edda', /repeats/],
    ['four repeated characters', 'k9m2k9m2k9m2', 'edda', /repeats/],
    ['the alphabet', 'ijklmnopq', 'edda', /sequence/],
    ['the alphabet backwards', 'zyxwvutsrq', 'edda', /sequence/],
    ['the digits', '4567890123', 'edda', /sequence/],
    ['a row of the keyboard', 'sdfghjkla', 'edda', /sequence/],
    ['a common password with a year', 'Dragon2019!', 'edda', /common/],
    ['a common password between punctuation', '!!sunshine!!', 'edda', /common/],
    ['the username and digits', 'edda12345678', 'edda', /username/],
    ['the username and a year', 'Edda-2026!', 'edda', /username/],
    ['a part of the username, twice', 'lovelace.LOVELACE', 'ada.lovelace', /username/],
    ['the product and a number', 'Promptdeck#1', 'edda', /product/],
    ['the product and a common word', 'promptdeck-monkey', 'edda', /product/],
    ['two years', '1987-2026', 'edda', /year/],
    ['the administrator and the product', 'admin@promptdeck', 'edda', /product/],
  ])('%s', async (_, password, username, reason) => {
    expect(await weaknessOf(password, username, passwords.isCommon)).toMatch(reason)
  })

  it.each([
    'a long phrase of the user',
    'correct horse battery staple',
    'tr0ub4dor&3',
    '        x',
    'パスワードは長い',
    'q7#Lm9!x',
    'edda likes 3 owls',
    'born in 1987, in Graz',
    'promptdeck is what I use',
  ])('do not include %s', async (password) => {
    expect(await weaknessOf(password, 'edda', passwords.isCommon)).toBeNull()
  })

  it('include common ones in any case, checked in a separate thread', async () => {
    for (const text of ['password', 'trustno1', 'iloveyou', 'qwertyuiop'])
      expect({ text, isCommon: await passwords.isCommon([text]) }).toEqual({ text, isCommon: true })
    expect(await passwords.isCommon(['no such common thing', ''])).toBe(false)
  })
})
