import { readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { root } from '../root.mjs'
import { emitted } from './built-sources.mjs'
import { bundleFolder } from './bundle.mjs'
import { listFiles } from './stale.mjs'

/**
 * Returns the sources that were changed after their folder was last compiled.
 * @param {string} top @param {readonly string[]} folders @returns {string[]}
 */
export function newerThanBuilt(top, folders) {
  /** @param {string} path */
  const modifiedMs = (path) => statSync(`${top}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return folders.flatMap((folder) => {
    // The compiler updates this file at each run, even if it emits nothing.
    const compiled = modifiedMs(`dist/${folder}.tsbuildinfo`)
    return listFiles(top, [folder]).filter((path) => emitted(path) !== null && modifiedMs(path) > compiled)
  })
}

/**
 * Returns the compiled modules that were changed after the programs were bundled from them.
 * @param {string} top @param {readonly string[]} folders @returns {string[]}
 */
export function newerThanBundle(top, folders) {
  const bundled = statSync(join(top, bundleFolder, 'cli.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return folders
    .flatMap((folder) => readdirSync(join(top, 'dist', folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).mtimeMs > bundled)
    .map((file) => relative(top, file).split(sep).join('/'))
}

/** Throws if the files that tests run are older than their sources. */
export function setup() {
  const folders = ['contract', 'server', 'main']
  const sources = newerThanBuilt(root, folders)
  const newer = sources.length > 0 ? sources : newerThanBundle(root, folders)
  if (newer.length === 0) return
  const names = `${newer.slice(0, 3).join(', ')}${newer.length > 3 ? ` and ${newer.length - 3} more` : ''}`
  const message = `dist/ is older than its sources (${names}). Run npm run build, or npm test.`
  if (process.env['ALLOW_STALE_DIST'] !== '1') throw new Error(message)
  process.stderr.write(`${message} Continuing because of ALLOW_STALE_DIST=1.\n`)
}
