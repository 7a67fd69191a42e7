import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { at, fromRoot } from './root.mjs'

const built = /^(contract|server|main)\/.*\.c?ts$/

/** The emitted file of a source path (from the top folder), or null where nothing is emitted. @param {string} path */
export function emitted(path) {
  if (!built.test(path) || path.endsWith('.d.ts')) return null
  return `dist/${path.replace(/\.(c?)ts$/, '.$1js')}`
}

/**
 * Tests name sources; this makes them run what `tsc -b` emitted from them, the same modules the service loads.
 * @type {import('vite').Plugin}
 */
export const builtSources = {
  name: 'built-sources',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !/^\.{1,2}\//.test(source)) return null
    const file = emitted(fromRoot(resolve(dirname(importer), source)))
    if (file === null) return null
    if (!existsSync(at(file)))
      this.error(`${file} is not built. Run npm run build, or npx tsc -b server main.`)
    return at(file)
  },
}
