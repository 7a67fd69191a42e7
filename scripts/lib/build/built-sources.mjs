import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { at, fromRoot } from '../root.mjs'

const built = /^(contract|server|main)\/.*\.c?ts$/

/**
 * Returns the emitted file of a source path, both relative to the repository; null if nothing is emitted.
 * @param {string} path
 */
export function emitted(path) {
  if (!built.test(path) || path.endsWith('.d.ts')) return null
  return `dist/${path.replace(/\.(c?)ts$/, '.$1js')}`
}

/**
 * Vite plugin that resolves sources to the files that `tsc -b` emitted, so that tests run the modules that
 * the service runs.
 * @type {import('vite').Plugin}
 */
export const builtSources = {
  name: 'built-sources',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !/^\.{1,2}\//.test(source)) return null
    const file = emitted(fromRoot(resolve(dirname(importer), source)))
    if (file === null) return null
    if (!existsSync(at(file))) this.error(`${file} is not built. Run npm run build.`)
    return at(file)
  },
}
