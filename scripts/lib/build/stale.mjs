import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ignored = new Set(['node_modules', 'dist', '.git'])

/**
 * Returns every file under the given files and folders, sorted, as paths relative to `root`. Missing ones are
 * omitted.
 * @param {string} root @param {readonly string[]} inputs @returns {string[]}
 */
export function listFiles(root, inputs) {
  /** @type {string[]} */
  const found = []
  /** @param {string} path */
  const visit = (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false })
    if (stat === undefined) return
    if (!stat.isDirectory()) {
      found.push(path)
      return
    }
    for (const name of readdirSync(join(root, path))) {
      if (!ignored.has(name) && !name.endsWith('.tsbuildinfo')) visit(`${path}/${name}`)
    }
  }
  for (const input of inputs) visit(input)
  return found.sort()
}

/**
 * Returns one hash of names and contents. Times are not included, so a checkout rebuilds nothing.
 * @param {string} root @param {readonly string[]} inputs
 */
export function fingerprint(root, inputs) {
  const hash = createHash('sha256')
  for (const path of listFiles(root, inputs)) {
    const content = readFileSync(join(root, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** The file with the fingerprints of the last build. */
export const stampFile = 'dist/.built.json'

/**
 * Returns the fingerprints of the last build by part; empty if the file is missing or invalid.
 * @param {string} file @returns {Record<string, string>}
 */
export function readStamps(file) {
  try {
    const stamps = JSON.parse(readFileSync(file, 'utf8'))
    return typeof stamps === 'object' && stamps !== null ? stamps : {}
  } catch {
    return {}
  }
}

/**
 * Returns the reason why a part must be built again, or null.
 * @param {{ root: string, inputs: readonly string[], outputs: readonly string[], stamp: string | undefined, now?: string }} part
 */
export function staleReason({ root, inputs, outputs, stamp, now = fingerprint(root, inputs) }) {
  if (stamp === undefined) return 'not built yet'
  const missing = outputs.find((output) => !existsSync(join(root, output)))
  if (missing !== undefined) return `${missing} is missing`
  return stamp === now ? null : 'sources changed'
}

/** @param {string} root */
export const lockHash = (root) =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')

/**
 * Returns true if node_modules contains what package-lock.json requires, according to npm's own record; this
 * accepts a manual `npm install` too. Optional packages for other systems may be absent.
 * @param {string} root
 */
export function isInstalled(root) {
  const record = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(record)) return false
  /** @param {string} file @returns {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }>} */
  const packages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages ?? {}
  const installed = packages(record)
  return Object.entries(packages(join(root, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '') return true
    const entry = installed[path]
    if (entry === undefined) return wanted.optional === true || wanted.devOptional === true
    return entry.version === wanted.version && entry.integrity === wanted.integrity
  })
}
