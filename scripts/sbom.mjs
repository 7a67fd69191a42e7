import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ensure } from './ensure.mjs'
import { shippedLicences } from './lib/licences.mjs'
import { at, fromRoot, log, PlainError, root, script } from './lib/root.mjs'
import { runNpm } from './lib/run.mjs'

/**
 * @typedef {{ 'bom-ref': string, name: string, version: string, scope?: string }} Component
 * @typedef {{ ref: string, dependsOn?: string[] }} Dependency
 * @typedef {{ metadata: { component: Component }, components: Component[], dependencies: Dependency[] }} Bom
 */

/**
 * Limits a bill of materials to the packages that ship: the service's dependencies and the packages in the
 * console's bundle. Build and test tools are omitted.
 * @param {Bom} bom @param {readonly { name: string, version: string }[]} shipped @param {string} product
 * @returns {Bom}
 */
function onlyShipped(bom, shipped, product) {
  const names = new Set(shipped.map(({ name, version }) => `${name}@${version}`))
  const components = bom.components.filter(({ name, version }) => names.has(`${name}@${version}`))
  const refs = new Set(components.map((component) => component['bom-ref']))
  const root = bom.metadata.component
  const known = new Set([...refs, root['bom-ref']])
  return {
    ...bom,
    // npm uses the folder name for a private package.
    metadata: { ...bom.metadata, component: { ...root, name: product } },
    components: components.map((component) => ({ ...component, scope: 'required' })),
    dependencies: bom.dependencies
      .filter(({ ref }) => known.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((name) => refs.has(name)) })),
  }
}

/** Returns the CycloneDX bill of materials of what ships. @returns {Promise<Bom>} */
export async function createSbom() {
  const { code, output } = await runNpm(['sbom', '--sbom-format=cyclonedx', '--loglevel=error'])
  const start = output.indexOf('{')
  if (code !== 0 || start === -1) throw new PlainError(`npm sbom failed: ${output.trim()}`)
  const { name } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  return onlyShipped(JSON.parse(output.slice(start)), shippedLicences(root), name)
}

/** `npm run sbom`: writes the bill of materials (CycloneDX 1.5, JSON) into `release/`. */
if (process.argv[1] === at('scripts/sbom.mjs')) {
  await script(async () => {
    await ensure([])
    const file = at('release/promptdeck.cdx.json')
    const bom = await createSbom()
    mkdirSync(at('release'), { recursive: true })
    writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
    log(`${fromRoot(file)}: ${bom.components.length} packages`)
  })
}
