const maxKey = 128

/** `greet-copy`, `greet-copy-2`, …: the first that is free, never longer than a key may be. */
export async function freeKey(
  key: string,
  suffix: string,
  isTaken: (key: string) => Promise<boolean>,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? `-${suffix}` : `-${suffix}-${number}`
    const candidate = `${key.slice(0, maxKey - ending.length)}${ending}`
    if (!(await isTaken(candidate))) return candidate
  }
}
