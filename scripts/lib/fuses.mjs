import { readFileSync } from 'node:fs'
import { FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses'
import { SENTINEL } from '@electron/fuses/dist/constants.js'
import { parse } from 'yaml'

/** The fuses as electron-builder.yml names them, by position. */
const names = Object.keys(FuseV1Options)
  .filter((key) => Number.isNaN(Number(key)))
  .map((key) => key.charAt(0).toLowerCase() + key.slice(1))

/** @type {Readonly<Record<number, boolean>>} */
const states = { 48: false, 49: true }

/**
 * Reads the fuses from the bytes of a binary, not from the configuration. Null: the fuse is absent or was
 * removed from Electron.
 * @param {string} file @returns {Promise<Record<string, boolean | null>>}
 */
export async function readFuses(file) {
  const wire = await getCurrentFuseWire(file)
  if (wire.version !== FuseVersion.V1) throw new Error(`fuses of version ${wire.version} are not supported`)
  if (!hasOneSet(readFileSync(file))) throw new Error(`${file} contains two sets of fuses`)
  return Object.fromEntries(
    names.map((name, index) => [name, states[wire[/** @type {FuseV1Options} */ (index)] ?? 0] ?? null]),
  )
}

/**
 * Returns true if the fuses of both processor architectures match. A binary for two contains them twice, and
 * the library reads the first.
 * @param {Buffer} binary
 */
function hasOneSet(binary) {
  const [first, last] = [binary.indexOf(SENTINEL), binary.lastIndexOf(SENTINEL)]
  // The marker, one byte with the version, one with the number of fuses.
  const length = SENTINEL.length + 2 + (binary[first + SENTINEL.length + 1] ?? 0)
  return binary.subarray(first, first + length).equals(binary.subarray(last, last + length))
}

/**
 * Returns the `electronFuses` of electron-builder.yml.
 * @param {string} yaml @returns {Record<string, boolean>}
 */
export function wantedFuses(yaml) {
  const block = parse(yaml).electronFuses ?? {}
  return Object.fromEntries(names.filter((name) => name in block).map((name) => [name, block[name]]))
}

/**
 * Returns one line for each fuse that does not have the wanted state.
 * @param {Record<string, boolean>} wanted @param {Record<string, boolean | null>} found @returns {string[]}
 */
export const wrongFuses = (wanted, found) =>
  Object.entries(wanted)
    .filter(([name, value]) => found[name] !== value)
    .map(([name, value]) => `${name} is ${found[name] ?? 'absent'} and must be ${value}`)
