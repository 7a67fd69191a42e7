import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * A package that ships with Promptdeck.
 * @typedef {{ name: string, version: string, license: string, text: string | null }} Licence
 */

const licenceFile = /^(licen[cs]e|copying|unlicense)([.-].*)?$/i
const source = /\.(ts|tsx)$/
/** Matches `import x from 'name'`, `import 'name/style.css'` and `import('name')`, but no relative paths. */
const imported = /(?:from|import)\s*\(?\s*['"]([^'"./][^'"]*)['"]/g
const typesOnly = /^\s*(?:import|export)\s+type\s[^'"]*?['"][^'"]*['"]/gm

/** @param {string} specifier */
const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sourcesIn(path)
    return source.test(entry.name) ? [path] : []
  })
}

/**
 * Returns the packages that the sources of the console and the contract import: the roots of the bundle.
 * @param {string} root
 */
function bundledRoots(root) {
  const found = new Set()
  for (const folder of ['renderer', 'contract']) {
    for (const path of sourcesIn(join(root, folder))) {
      const text = readFileSync(path, 'utf8').replace(typesOnly, '')
      for (const [, specifier = ''] of text.matchAll(imported)) {
        if (!specifier.startsWith('node:')) found.add(packageOf(specifier))
      }
    }
  }
  return [...found]
}

/**
 * Returns the folder of package `name` as Node resolves it from the folder `from`; null if there is none.
 * @param {string} from @param {string} name @param {string} root
 */
function folderOf(from, name, root) {
  for (let at = from; at.startsWith(root); at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return folder
    if (at === root) break
  }
  return null
}

/** @param {{ license?: unknown, licenses?: unknown }} manifest */
function namedLicence({ license, licenses }) {
  if (typeof license === 'string') return license
  const [first] = Array.isArray(licenses) ? licenses : [license]
  return typeof first === 'object' && first !== null && 'type' in first ? String(first.type) : 'unknown'
}

/** @param {string} folder */
function licenceText(folder) {
  const name = readdirSync(folder)
    .toSorted()
    .find((file) => licenceFile.test(file))
  return name === undefined ? null : readFileSync(join(folder, name), 'utf8').trim()
}

/**
 * Returns every package that ships, sorted by name: the service's dependencies, the packages in the console's
 * bundle, and their dependencies. Reads node_modules, so the result matches what is installed.
 * @param {string} root @returns {Licence[]}
 */
export function shippedLicences(root) {
  const product = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = [...Object.keys(product.dependencies ?? {}), ...bundledRoots(root)]
  /** @type {Map<string, Licence>} */
  const found = new Map()
  /** @type {{ from: string, name: string }[]} */
  const queue = names.map((name) => ({ from: root, name }))
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const folder = folderOf(next.from, next.name, root)
    if (folder === null || found.has(folder)) continue
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    // Type packages are not part of the build.
    if (next.name.startsWith('@types/')) continue
    found.set(folder, {
      name: manifest.name,
      version: manifest.version,
      license: namedLicence(manifest),
      text: licenceText(folder),
    })
    for (const name of Object.keys(manifest.dependencies ?? {})) queue.push({ from: folder, name })
  }
  return [...found.values()].toSorted(
    (a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'),
  )
}
