import { expect, test } from 'vitest'
import { shippedLicences } from '../../scripts/lib/licences.mjs'
import { at, root } from '../../scripts/lib/root.mjs'
import { createSbom } from '../../scripts/sbom.mjs'

test('the bill of materials lists every package that ships, and no build tool', {
  timeout: 60_000,
}, async () => {
  const bom = await createSbom()
  expect(bom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { name: 'promptdeck', 'bom-ref': 'promptdeck@0.1.0' } },
  })
  const listed = bom.components.map(({ name, version }) => `${name}@${version}`)
  const shipped = shippedLicences(root).map(({ name, version }) => `${name}@${version}`)
  expect(listed.toSorted()).toEqual([...new Set(shipped)].toSorted())
  expect(listed.some((name) => name.startsWith('react@'))).toBe(true)
  expect(listed.some((name) => /^(?:vitest|typescript|electron-builder)@/.test(name))).toBe(false)
  const refs = new Set(bom.components.map((component) => component['bom-ref']))
  const dangling = bom.dependencies.flatMap(({ dependsOn = [] }) => dependsOn.filter((ref) => !refs.has(ref)))
  expect(dangling).toEqual([])
  // It is published, so it must not contain anything of this machine.
  expect(JSON.stringify(bom)).not.toContain(at())
})
