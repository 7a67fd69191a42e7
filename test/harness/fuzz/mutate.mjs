// @ts-check
import { pick } from '../lib/random.mjs'

const edges = [0, 1, 2, 16, 127, 128, 255]
/** @param {() => number} random @param {number} max */
const below = (random, max) => Math.floor(random() * max)

/** @typedef {(random: () => number, bytes: Buffer, at: number) => Buffer} Change */

/** @type {Change} */
const append = (random, bytes) =>
  Buffer.concat([bytes, Buffer.from(Array.from({ length: 1 + below(random, 16) }, () => below(random, 256)))])

/** Changes of the byte at a place, or of what begins there. @type {readonly Change[]} */
const changes = [
  (random, bytes, at) => {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8))
    return bytes
  },
  (random, bytes, at) => {
    bytes[at] = below(random, 256)
    return bytes
  },
  (random, bytes, at) => {
    bytes[at] = pick(random, edges)
    return bytes
  },
  (_, bytes, at) => bytes.subarray(0, at),
  (random, bytes, at) =>
    Buffer.concat([
      bytes.subarray(0, at),
      bytes.subarray(Math.min(bytes.length, at + 1 + below(random, 40))),
    ]),
  (random, bytes, at) =>
    Buffer.concat([
      bytes.subarray(0, at),
      bytes.subarray(below(random, bytes.length)).subarray(0, 64),
      bytes.subarray(at),
    ]),
  (random, bytes, at) => {
    if (at + 4 > bytes.length) return append(random, bytes, at)
    bytes.writeUInt32LE(pick(random, [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, below(random, 2 ** 32)]), at)
    return bytes
  },
  (random, bytes, at) => {
    if (at + 8 > bytes.length) return append(random, bytes, at)
    bytes.writeDoubleLE(pick(random, [0, -1, NaN, Infinity, 2 ** 53, 1e308, 0.5]), at)
    return bytes
  },
  append,
]

/**
 * Returns a copy with one to four changes: bits, bytes, numbers, cuts, copies and insertions.
 * @param {() => number} random @param {Buffer} original
 */
export function mutateBytes(random, original) {
  /** @type {Buffer} */
  let bytes = Buffer.from(original)
  for (let times = 1 + below(random, 4); times > 0; times -= 1) {
    const at = below(random, bytes.length || 1)
    const change = pick(random, changes)
    if (bytes.length === 0) return Buffer.from([below(random, 256)])
    bytes = change(random, bytes, at)
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
  if (!isContainer(copy) || random() < 0.05) return pick(random, values)
  /** @type {any} */
  let container = copy
  for (;;) {
    const name = pick(random, Object.keys(container).length > 0 ? Object.keys(container) : ['x'])
    const inner = container[name]
    if (!isContainer(inner) || random() >= 0.6) {
      mutateMember(random, container, name)
      return copy
    }
    container = inner
  }
}

/** @param {unknown} value */
const isContainer = (value) => typeof value === 'object' && value !== null

/** @param {() => number} random @param {any} container @param {string} name */
function mutateMember(random, container, name) {
  const inner = container[name]
  const kind = below(random, 5)
  if (kind === 0) delete container[name]
  else if (kind === 1)
    container[pick(random, ['extra', 'type', 'constructor', 'file'])] = pick(random, values)
  else if (kind === 2 && typeof inner === 'string')
    container[name] = mutateBytes(random, Buffer.from(inner)).toString('utf8')
  else if (kind === 3 && typeof inner === 'number')
    container[name] = inner + pick(random, [1, -1, 0.5, 2 ** 31, -(2 ** 53)])
  else container[name] = pick(random, values)
}

/** Returns JSON text, mutated as JSON or as bytes. @param {() => number} random @param {any} original */
export const mutateJsonText = (random, original) =>
  random() < 0.5
    ? JSON.stringify(mutateJson(random, original))
    : mutateBytes(random, Buffer.from(JSON.stringify(original))).toString('latin1')
