// @ts-check
import { pick } from '../lib/random.mjs'

const edges = [0, 1, 2, 16, 127, 128, 255]
/** @param {() => number} random @param {number} max */
const below = (random, max) => Math.floor(random() * max)

/**
 * Returns a copy with one to four changes: bits, bytes, numbers, cuts, copies and insertions.
 * @param {() => number} random @param {Buffer} original
 */
export function mutateBytes(random, original) {
  let bytes = Buffer.from(original)
  for (let times = 1 + below(random, 4); times > 0; times -= 1) {
    const at = below(random, bytes.length || 1)
    const kind = below(random, 9)
    if (bytes.length === 0) return Buffer.from([below(random, 256)])
    if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8))
    else if (kind === 1) bytes[at] = below(random, 256)
    else if (kind === 2) bytes[at] = pick(random, edges)
    else if (kind === 3) bytes = bytes.subarray(0, at)
    else if (kind === 4)
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(Math.min(bytes.length, at + 1 + below(random, 40))),
      ])
    else if (kind === 5)
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(below(random, bytes.length)).subarray(0, 64),
        bytes.subarray(at),
      ])
    else if (kind === 6 && at + 4 <= bytes.length)
      bytes.writeUInt32LE(
        pick(random, [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, below(random, 2 ** 32)]),
        at,
      )
    else if (kind === 7 && at + 8 <= bytes.length)
      bytes.writeDoubleLE(pick(random, [0, -1, NaN, Infinity, 2 ** 53, 1e308, 0.5]), at)
    else
      bytes = Buffer.concat([
        bytes,
        Buffer.from(Array.from({ length: 1 + below(random, 16) }, () => below(random, 256))),
      ])
  }
  return bytes
}

const texts = [
  '',
  'x',
  '__proto__',
  '../..',
  '\u0000',
  '\ud800',
  '9'.repeat(40),
  '2026-01-01T00:00:00.000Z',
  'v1',
  '%',
]
const values = [null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], ...texts]

/**
 * Returns a copy of a JSON value with a member changed, removed, added or moved.
 * @param {() => number} random @param {any} original @returns {any}
 */
export function mutateJson(random, original) {
  const copy = structuredClone(original)
  if (typeof copy !== 'object' || copy === null || random() < 0.05) return pick(random, values)
  let holder = copy
  for (;;) {
    const name = pick(random, Object.keys(holder).length > 0 ? Object.keys(holder) : ['x'])
    const inner = holder[name]
    if (typeof inner === 'object' && inner !== null && random() < 0.6) {
      holder = inner
      continue
    }
    const kind = below(random, 5)
    if (kind === 0) delete holder[name]
    else if (kind === 1) holder[pick(random, ['extra', 'type', 'constructor', 'file'])] = pick(random, values)
    else if (kind === 2 && typeof inner === 'string')
      holder[name] = mutateBytes(random, Buffer.from(inner)).toString('utf8')
    else if (kind === 3 && typeof inner === 'number')
      holder[name] = inner + pick(random, [1, -1, 0.5, 2 ** 31, -(2 ** 53)])
    else holder[name] = pick(random, values)
    return copy
  }
}

/** Returns JSON text, mutated as JSON or as bytes. @param {() => number} random @param {any} original */
export const mutateJsonText = (random, original) =>
  random() < 0.5
    ? JSON.stringify(mutateJson(random, original))
    : mutateBytes(random, Buffer.from(JSON.stringify(original))).toString('latin1')
