import { maxKeyLength } from '../../contract/common/fields.ts'

/**
 * Returns the key with a suffix, cut to the maximum length of a key. A surrogate pair is never cut in two.
 */
export const keyWithSuffix = (key: string, suffix: string): string =>
  `${key.slice(0, maxKeyLength - suffix.length).replace(/\p{Cs}$/u, '')}${suffix}`

/**
 * Returns the first free key of `greet-copy`, `greet-copy-2` and so on, within the maximum length of a key.
 */
export async function freeKey(
  key: string,
  word: string,
  isTaken: (key: string) => Promise<boolean>,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? `-${word}` : `-${word}-${number}`
    const candidate = keyWithSuffix(key, suffix)
    if (!(await isTaken(candidate))) return candidate
  }
}
