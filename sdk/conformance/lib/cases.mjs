import { readdirSync, readFileSync } from 'node:fs'
import { CaseFile } from '../case-schema.mjs'
import { expand } from './expand.mjs'

const folder = new URL('../cases/', import.meta.url)

/** Returns all cases of all files in order. Throws with file and location if one violates the schema. */
export function loadCases() {
  const cases = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => parseCases(name, readFileSync(new URL(name, folder), 'utf8')))
  const seen = new Set()
  for (const { name } of cases) {
    if (seen.has(name)) throw new Error(`Two cases have the name "${name}"`)
    seen.add(name)
  }
  return cases
}

/** @param {string} name @param {string} text */
export function parseCases(name, text) {
  const items = JSON.parse(text)
  const { shared = {} } = items[0]
  const cases = expand(items, shared).filter((item) => item.shared === undefined)
  const parsed = CaseFile.safeParse(cases)
  if (parsed.success) return cases
  const findings = parsed.error.issues.map(({ path, message }) => {
    const which = cases[path[0]]?.name ?? path[0]
    return `${name}: "${which}" ${path.slice(1).join('.')}: ${message}`
  })
  throw new Error(findings.join('\n'))
}
