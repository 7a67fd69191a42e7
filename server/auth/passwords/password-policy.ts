import { invalid } from '../../lib/fail.ts'
import { fold } from '../../lib/text/search.ts'

/** Returns true if one of these folded texts is in the list of common passwords. */
export type IsCommon = (texts: readonly string[]) => Promise<boolean>

/** The alphabet, the digits and the rows of common keyboards. */
const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
]
const sequences = rows.flatMap((row) => [row.repeat(3), [...row].reverse().join('').repeat(3)])

/** Matches a block of up to four characters that repeats: `aaaaaaaa`, `12121212`, `abcabcabc`. */
const repeated = /^(.{1,4}?)\1+$/su

/** Words that an attacker of this service tries first. */
const productWords = ['promptdeck', 'prompt', 'deck', 'admin', 'administrator']
const year = /(?:19|20)\d\d/g
/** Minimum length of a part of the user name; shorter parts occur in ordinary text. */
const minContextWord = 3
/** Minimum number of characters that remain after removing context words. */
const minRemaining = 4
/** Maximum number of digits and signs to ignore around a common password. They hardly slow an attacker. */
const maxTrimmed = 6

/** Returns the user name, its parts and words of the product, the longest first. */
function contextWords(username: string): string[] {
  const name = fold(username)
  const parts = name.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= minContextWord)
  return [...new Set([name, ...parts, ...productWords])].sort((a, b) => b.length - a.length)
}

/** Returns the letters and digits that remain without context words and years. */
const withoutContext = (folded: string, username: string): string =>
  contextWords(username)
    .reduce((rest, word) => rest.replaceAll(word, ' '), folded)
    .replace(year, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** Returns the password without the digits and signs around it: `!dragon1999` becomes `dragon`. */
function core(folded: string): string {
  const trimmed = folded.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
  return folded.length - trimmed.length <= maxTrimmed ? trimmed : folded
}

const isSequence = (text: string): boolean => sequences.some((sequence) => sequence.includes(text))

/**
 * Returns why this password is too weak, or null. There are no composition rules (NIST SP 800-63B §3.1.1.2).
 */
export async function weaknessOf(
  password: string,
  username: string,
  isCommon: IsCommon,
): Promise<string | null> {
  const folded = fold(password)
  if (folded === fold(username)) return 'The password must not be the username'
  if (repeated.test(folded)) return 'The password repeats only a few characters'
  if (isSequence(folded)) return 'The password is only a sequence of characters'
  if (await isCommon([folded, core(folded)])) return 'The password is one of the most common passwords'
  const rest = withoutContext(folded, username)
  const letters = folded.replace(/[^\p{L}\p{N}]+/gu, '')
  if (rest === letters) return null
  const isGuessable =
    rest.length < minRemaining ||
    isSequence(rest) ||
    repeated.test(rest) ||
    (await isCommon([rest, core(rest)]))
  return isGuessable ? 'The password consists mainly of the username, the product name or a year' : null
}

/** Throws 422 on `field` if the password is too weak. */
export async function requireStrongPassword(
  field: 'password' | 'new_password',
  password: string,
  username: string,
  isCommon: IsCommon,
): Promise<void> {
  const weakness = await weaknessOf(password, username, isCommon)
  if (weakness !== null) throw invalid(field, weakness)
}
