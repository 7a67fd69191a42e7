import { maxKeyLength } from '../../contract/common/fields.ts'

/**
 * Returns the key with a suffix, cut to the maximum length of a key. A surrogate pair is never cut in two.
 */
export const keyWith = (key: string, ending: string): string =>
  `${key.slice(0, maxKeyLength - ending.length).replace(/\p{Cs}$/u, '')}${ending}`

/**
 * Returns the first free key of `greet-copy`, `greet-copy-2` and so on, within the maximum length of a key.
 */
export async function freeKey(
  key: string,
  suffix: string,
  isTaken: (key: string) => Promise<boolean>,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? `-${suffix}` : `-${suffix}-${number}`
    const candidate = keyWith(key, ending)
    if (!(await isTaken(candidate))) return candidate
  }
}
