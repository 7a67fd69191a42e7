import { readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { root } from '../root.mjs'
import { emitted } from './built-sources.mjs'
import { bundleFolder } from './bundle.mjs'
import { parts } from './parts.mjs'
import { fingerprint, listFiles, readStamps, stampFile } from './stale.mjs'

/** @param {string} file */
const modifiedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Returns the sources that were changed after their folder was last compiled.
 * @param {string} top @param {readonly string[]} folders @returns {string[]}
 */
export function newerThanBuilt(top, folders) {
  return folders.flatMap((folder) => {
    // The compiler updates this file at each run, even if it emits nothing.
    const compiled = modifiedMs(join(top, 'dist', `${folder}.tsbuildinfo`))
    return listFiles(top, [folder]).filter(
      (path) => emitted(path) !== null && modifiedMs(join(top, path)) > compiled,
    )
  })
}

/**
 * Returns true if the last build of the service had the same content, as after a checkout of another branch and
 * back: `ensure` does not repeat such a build.
 * @param {string} top @param {readonly string[]} inputs
 */
export const hasBuilt = (top, inputs) =>
  readStamps(join(top, stampFile))['server'] === fingerprint(top, inputs)

/**
 * Returns the compiled modules that were changed after the programs were bundled from them.
 * @param {string} top @param {readonly string[]} folders @returns {string[]}
 */
export function newerThanBundle(top, folders) {
  const bundled = modifiedMs(join(top, bundleFolder, 'cli.js'))
  return folders
    .flatMap((folder) => readdirSync(join(top, 'dist', folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => modifiedMs(file) > bundled)
    .map((file) => relative(top, file).split(sep).join('/'))
}

/** Throws if the files that tests run are older than their sources. */
export function setup() {
  const folders = ['contract', 'server', 'main']
  const sources = newerThanBuilt(root, folders)
  const isStale = sources.length > 0 && !hasBuilt(root, parts.server.inputs)
  const newer = isStale ? sources : newerThanBundle(root, folders)
  if (newer.length === 0) return
  const names = `${newer.slice(0, 3).join(', ')}${newer.length > 3 ? ` and ${newer.length - 3} more` : ''}`
  const message = `dist/ is older than its sources (${names}). Run npm run build, or npm test.`
  if (process.env['ALLOW_STALE_DIST'] !== '1') throw new Error(message)
  process.stderr.write(`${message} Continuing because of ALLOW_STALE_DIST=1.\n`)
}
