import { maxKeyLength } from '../../contract/common.ts'

/** Returns the key with an ending, cut to the length a key may have. A pair of surrogates is kept or cut as one. */
export const keyWith = (key: string, ending: string): string =>
  `${key.slice(0, maxKeyLength - ending.length).replace(/\p{Cs}$/u, '')}${ending}`

/** `greet-copy`, `greet-copy-2`, …: the first that is free, never longer than a key may be. */
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
