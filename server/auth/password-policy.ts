import { invalid } from '../lib/fail.ts'
import { fold } from '../lib/text.ts'
import { commonPasswords } from './common-passwords.ts'

/** Runs that look random to no one: the alphabet, the digits, the rows of common keyboards. */
const runs = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
]
const sequences = runs.flatMap((run) => [run.repeat(3), [...run].reverse().join('').repeat(3)])

/** A block of up to four characters, over and over: `aaaaaaaa`, `12121212`, `abcabcabc`. */
const repeated = /^(.{1,4}?)\1+$/su

/** Why nobody should choose this password, or null. There are no composition rules (NIST SP 800-63B §3.1.1.2). */
export function weaknessOf(password: string, username: string): string | null {
  const folded = fold(password)
  if (folded === fold(username)) return 'The password must not be the username'
  if (commonPasswords.has(folded)) return 'This password is among the most common ones'
  if (repeated.test(folded)) return 'The password only repeats a few characters'
  if (sequences.some((sequence) => sequence.includes(folded)))
    return 'The password is only a sequence of characters'
  return null
}

/** Throws 422 on `field` unless the password may be used. */
export function requireStrongPassword(
  field: 'password' | 'new_password',
  password: string,
  username: string,
): void {
  const weakness = weaknessOf(password, username)
  if (weakness !== null) throw invalid(field, weakness)
}
