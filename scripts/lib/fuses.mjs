import { readFileSync } from 'node:fs'

/** The marker before the fuses in an Electron binary: electronjs.org/docs/latest/tutorial/fuses */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const names = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
]
const states = { 48: false, 49: true }

/**
 * Reads the fuses from the bytes of a binary, not from the configuration. Null: the fuse was removed from
 * Electron.
 * @param {string} file @returns {Record<string, boolean | null>}
 */
export function readFuses(file) {
  const binary = readFileSync(file)
  const at = binary.indexOf(sentinel)
  if (at < 0) throw new Error(`${file} holds no fuses: it is no Electron binary`)
  // A binary for two processor architectures contains them twice; they must match.
  const found = fusesAt(binary, at)
  const second = fusesAt(binary, binary.lastIndexOf(sentinel))
  if (JSON.stringify(found) !== JSON.stringify(second)) throw new Error(`${file} holds two sets of fuses`)
  return found
}

/** @param {Buffer} binary @param {number} at */
function fusesAt(binary, at) {
  const wire = at + sentinel.length
  if (binary[wire] !== 1) throw new Error(`fuses of version ${binary[wire]} are not known here`)
  const length = binary[wire + 1] ?? 0
  /** @type {Record<string, boolean | null>} */
  const found = {}
  for (let index = 0; index < Math.min(length, names.length); index++) {
    const state = binary[wire + 2 + index]
    found[names[index] ?? ''] = state === 0x30 || state === 0x31 ? states[state] : null
  }
  return found
}

/**
 * Returns the `electronFuses` of electron-builder.yml.
 * @param {string} yaml @returns {Record<string, boolean>}
 */
export function wantedFuses(yaml) {
  const block = /^electronFuses:\n((?: {2}.*\n)+)/m.exec(yaml)?.[1] ?? ''
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = new RegExp(`^ {2}${name}: (true|false)$`, 'm').exec(block)?.[1]
      return value === undefined ? [] : [[name, value === 'true']]
    }),
  )
}

/**
 * Returns one line for each fuse that does not have the wanted state.
 * @param {Record<string, boolean>} wanted @param {Record<string, boolean | null>} found @returns {string[]}
 */
export const wrongFuses = (wanted, found) =>
  Object.entries(wanted)
    .filter(([name, value]) => found[name] !== value)
    .map(([name, value]) => `${name} is ${found[name] ?? 'absent'} and must be ${value}`)
