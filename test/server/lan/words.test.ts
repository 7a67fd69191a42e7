import { wordlist } from '@scure/bip39/wordlists/english.js'
import { expect, it } from 'vitest'
import { fingerprintWords } from '../../../server/lan/words.ts'

const zeros = '00'.repeat(32)

it('returns the same four words for every notation of a fingerprint, and others for another one', async () => {
  const words = await fingerprintWords(Array(32).fill('00').join(':'))
  expect(words).toHaveLength(4)
  for (const word of words) expect(wordlist).toContain(word)
  // Other clients compute the same words, so these never change.
  expect(words).toEqual(['scan', 'carry', 'apart', 'same'])
  expect(await fingerprintWords(zeros)).toEqual(words)
  expect(await fingerprintWords('FF'.repeat(32))).toEqual(['song', 'ski', 'balance', 'desk'])
  expect(await fingerprintWords('ff'.repeat(32))).toEqual(['song', 'ski', 'balance', 'desk'])
  expect(await fingerprintWords(`${'00'.repeat(31)}01`)).not.toEqual(words)
})

it.each(['', '00', `${zeros}0`, 'xx'.repeat(32)])('rejects %s', async (text) => {
  await expect(fingerprintWords(text)).rejects.toThrow('64 hex digits')
})
