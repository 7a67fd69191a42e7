import { statSync } from 'node:fs'
import { emitted } from './built-sources.mjs'
import { root } from './root.mjs'
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

/** Throws if the compiled files are older than their sources, because tests run the compiled files. */
export function setup() {
  const newer = newerThanBuilt(root, ['contract', 'server', 'main'])
  if (newer.length === 0) return
  const names = `${newer.slice(0, 3).join(', ')}${newer.length > 3 ? ` and ${newer.length - 3} more` : ''}`
  const message = `dist/ is older than its sources (${names}). Run npx tsc -b server main, or npm test.`
  if (process.env['ALLOW_STALE_DIST'] !== '1') throw new Error(message)
  process.stderr.write(`${message} Continuing because of ALLOW_STALE_DIST=1.\n`)
}
