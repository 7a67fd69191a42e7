// @ts-check

/**
 * A generator of repeatable random numbers in [0, 1): mulberry32 by Tommy Ettinger, public domain.
 * @param {number} seed
 * @returns {() => number}
 */
export function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * @template T
 * @param {() => number} random
 * @param {readonly T[]} items Not empty.
 * @returns {T}
 */
export const pick = (random, items) => /** @type {T} */ (items[Math.floor(random() * items.length)])
