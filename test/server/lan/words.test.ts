import { wordlist } from '@scure/bip39/wordlists/english.js'
import { expect, it } from 'vitest'
import { fingerprintWords } from '../../../server/lan/words.ts'

const zeros = '00'.repeat(32)

it('returns the same four words for every notation of a fingerprint', async () => {
  const words = await fingerprintWords(zeros)
  expect(words).toHaveLength(4)
  for (const word of words) expect(wordlist).toContain(word)
  expect(await fingerprintWords(Array(32).fill('00').join(':'))).toEqual(words)
  expect(await fingerprintWords('AB'.repeat(32))).toEqual(await fingerprintWords('ab'.repeat(32)))
})

// Other clients compute the same words, so these never change.
it.each([
  [zeros, ['scan', 'carry', 'apart', 'same']],
  ['ff'.repeat(32), ['song', 'ski', 'balance', 'desk']],
] as const)('keeps its words for %s', async (fingerprint, expected) => {
  expect(await fingerprintWords(fingerprint)).toEqual(expected)
})

it('returns other words for another fingerprint', async () => {
  expect(await fingerprintWords(zeros)).not.toEqual(await fingerprintWords(`${'00'.repeat(31)}01`))
})

it.each(['', '00', `${zeros}0`, 'xx'.repeat(32)])('rejects %s', async (text) => {
  await expect(fingerprintWords(text)).rejects.toThrow('64 hex digits')
})
