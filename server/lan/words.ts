import { scrypt } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english.js'

const salt = 'promptdeck words v1'
/** One scrypt takes about 0.1 s and 32 MiB. This makes a search for a fingerprint with the same words slow. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const wordBits = 11
const wordCount = 4
/** Bytes of the derived key; its first 44 bits select the words. */
const keyBytes = 6

/**
 * Returns four words of the English BIP-39 list for a SHA-256 fingerprint, which is 64 hex digits with or
 * without `:`. Rejects anything else.
 */
export async function fingerprintWords(fingerprint: string): Promise<readonly string[]> {
  const hex = fingerprint.replaceAll(':', '')
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new RangeError('A fingerprint has 64 hex digits.')
  const key = await derive(Buffer.from(hex, 'hex'))
  const bits = [...key].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return Array.from({ length: wordCount }, (_, index) => {
    const word = wordlist[Number.parseInt(bits.slice(index * wordBits, (index + 1) * wordBits), 2)]
    if (word === undefined) throw new Error('the list of words is incomplete')
    return word
  })
}

const derive = (bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(bytes, salt, keyBytes, cost, (error, key) => (error === null ? resolve(key) : reject(error))),
  )
