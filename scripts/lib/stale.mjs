import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ignored = new Set(['node_modules', 'dist', '.git'])

/**
 * Every file under the given files and folders, sorted, as paths relative to `root`. What is missing is left out.
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
 * One hash over names and contents. Contents, not times: a checkout or a touch rebuilds nothing.
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

/**
 * The stamps of what was built last, by part; none when there are none or they cannot be read.
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
 * Why a part must be built again, or null.
 * @param {{ root: string, inputs: readonly string[], outputs: readonly string[], stamp: string | undefined, now?: string }} part
 */
export function whyStale({ root, inputs, outputs, stamp, now = fingerprint(root, inputs) }) {
  if (stamp === undefined) return 'not built yet'
  const gone = outputs.find((output) => !existsSync(join(root, output)))
  if (gone !== undefined) return `${gone} is missing`
  return stamp === now ? null : 'sources changed'
}

/** @param {string} root */
export const lockHash = (root) =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')

/**
 * Whether node_modules holds what package-lock.json asks for. npm's own record of what it installed is the judge, so an
 * `npm install` by hand counts too. Packages for other systems may be absent.
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
    const there = installed[path]
    if (there === undefined) return wanted.optional === true || wanted.devOptional === true
    return there.version === wanted.version && there.integrity === wanted.integrity
  })
}
