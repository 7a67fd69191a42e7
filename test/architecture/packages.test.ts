import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sdkVersions } from '../../contract/prompts/sdk.ts'
import { readTree, top } from '../support/source-tree.ts'
import { importsOf } from './imports.ts'
import {
  inexact,
  installScripts,
  lockedScripts,
  type Manifest,
  notShipped,
  unlocked,
  withAddress,
  withoutIntegrity,
} from './packages.ts'

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const lock = json(`${top}package-lock.json`).packages
const rootManifest = json(`${top}package.json`)

/**
 * Returns every package under node_modules, nested ones included. npm runs node-gyp for a binding.gyp without
 * a script.
 */
function installed(folder: string): readonly Manifest[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory() || entry.name.startsWith('.')) return []
    if (entry.name.startsWith('@')) return installed(path)
    if (!existsSync(join(path, 'package.json'))) return []
    const { name = entry.name, scripts = {}, gypfile } = json(join(path, 'package.json'))
    const isBuilt = gypfile !== false && existsSync(join(path, 'binding.gyp'))
    const manifest = { name, scripts: { ...scripts, ...(isBuilt && { install: 'node-gyp rebuild' }) } }
    return [manifest, ...installed(join(path, 'node_modules'))]
  })
}

describe('the clients', () => {
  it('have the releases that the service reports as current', () => {
    const text = (path: string) => readFileSync(`${top}sdk/${path}`, 'utf8')
    const js = json(`${top}sdk/js/package.json`).version
    expect({
      'node-sdk': js,
      'python-sdk': /__version__ = "(.+)"/.exec(text('python/src/promptdeck/_version.py'))?.[1],
      'java-sdk': /<version>(.+)<\/version>/.exec(text('java/pom.xml'))?.[1],
      browser: js,
    }).toEqual(sdkVersions)
  })
})

describe('packages', () => {
  it('contain no install script among the installed ones', () => {
    const manifests = installed(`${top}node_modules`)
    expect(manifests.length).toBeGreaterThan(300)
    expect(installScripts(manifests)).toEqual([])
  })

  it('contain no install script among the locked ones, and forbid them', () => {
    expect(lockedScripts(lock)).toEqual([])
    expect(readFileSync(`${top}.npmrc`, 'utf8')).toMatch(/^ignore-scripts=true$/m)
  })

  it('reports an install script', () => {
    const manifests = [
      { name: 'a', scripts: { postinstall: 'node x' } },
      { name: 'b', scripts: { prepare: 'tsc', test: 'x' } },
      { name: 'fsevents', scripts: { install: 'node-gyp rebuild' } },
    ]
    expect(installScripts(manifests)).toEqual(['a'])
    expect(
      lockedScripts({ 'node_modules/x/node_modules/@a/b': { hasInstallScript: true }, 'node_modules/c': {} }),
    ).toEqual(['node_modules/x/node_modules/@a/b'])
  })

  it('are locked by content, without a registry address, for all systems', () => {
    expect(withAddress(lock)).toEqual([])
    expect(withoutIntegrity(lock)).toEqual([])
    expect(unlocked(lock)).toEqual([])
  })

  it('reports an address, a missing hash and a missing package', () => {
    const bad = {
      '': { dependencies: { a: '1.0.0' } },
      'node_modules/a': {
        resolved: 'somewhere',
        optionalDependencies: { 'a-win32': '1.0.0', 'a-linux': '1.0.0' },
      },
      'node_modules/a/node_modules/a-linux': { integrity: 'sha512-x', dependencies: { a: '1.0.0' } },
    }
    expect(withAddress(bad)).toEqual(['node_modules/a'])
    expect(withoutIntegrity(bad)).toEqual(['node_modules/a'])
    expect(unlocked(bad)).toEqual(['node_modules/a needs a-win32'])
  })

  it('have exact versions', () => {
    expect(inexact({ ...rootManifest.dependencies, ...rootManifest.devDependencies })).toEqual([])
    expect(inexact({ a: '^1.0.0', b: '1.x', c: '1.0.0', d: 'latest', e: 'npm:f@1.0.5' })).toEqual([
      'a@^1.0.0',
      'b@1.x',
      'd@latest',
    ])
  })

  it('are shipped if the service or the shell loads them', () => {
    const loaded = ['contract', 'server', 'main'].flatMap(readTree).flatMap(importsOf)
    expect(loaded.length).toBeGreaterThan(100)
    expect(notShipped(loaded, rootManifest.dependencies)).toEqual([])
  })

  it('reports a loaded package that is only a development dependency', () => {
    const text = `import { z } from 'zod'\nimport dayjs from 'dayjs/utc'\nimport type { A } from 'openapi-types'`
    const loaded = importsOf({ path: 'server/a.ts', text })
    expect(notShipped(loaded, { zod: '4.0.0' })).toEqual(['server/a.ts → dayjs/utc'])
  })

  it('have one version for all of Mantine', () => {
    const versions = Object.entries({ ...rootManifest.dependencies, ...rootManifest.devDependencies })
      .filter(([name]) => name.startsWith('@mantine/'))
      .map(([, version]) => version)
    expect(versions.length).toBeGreaterThan(2)
    expect(new Set(versions).size).toBe(1)
  })
})
