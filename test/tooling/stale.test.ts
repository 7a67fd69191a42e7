import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasBuilt, newerThanBuilt, newerThanBundle } from '../../scripts/lib/build/assert-built.mjs'
import { workers } from '../../scripts/lib/build/bundle.mjs'
import {
  fingerprint,
  isInstalled,
  listFiles,
  readStamps,
  staleReason,
} from '../../scripts/lib/build/stale.mjs'
import { top } from '../support/source-tree.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'promptdeck-stale-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

describe('a fingerprint', () => {
  it('changes with a content, a name, a new and a removed file, and nothing else', () => {
    write('server/a.ts', 'one')
    write('server/lib/b.ts', 'two')
    write('package-lock.json', '{}')
    const inputs = ['server', 'package-lock.json', 'not-there.ts']
    const first = fingerprint(root, inputs)

    utimesSync(join(root, 'server/a.ts'), new Date(), new Date(Date.now() + 60_000))
    write('server/node_modules/x.js', 'ignored')
    write('server/x.tsbuildinfo', 'ignored')
    write('elsewhere/c.ts', 'ignored')
    expect(fingerprint(root, inputs)).toBe(first)

    write('server/a.ts', 'One')
    const second = fingerprint(root, inputs)
    write('server/c.ts', '')
    const third = fingerprint(root, inputs)
    rmSync(join(root, 'server/lib/b.ts'))
    const fourth = fingerprint(root, inputs)
    expect(new Set([first, second, third, fourth]).size).toBe(4)
    expect(listFiles(root, inputs)).toEqual(['package-lock.json', 'server/a.ts', 'server/c.ts'])
  })

  it('differs if text moves from one file to the next', () => {
    write('server/a.ts', 'ab')
    write('server/b.ts', 'c')
    const before = fingerprint(root, ['server'])
    write('server/a.ts', 'a')
    write('server/b.ts', 'bc')
    expect(fingerprint(root, ['server'])).not.toBe(before)
  })
})

describe('the reason why a part is stale', () => {
  it('names what is missing, and is empty without changes', () => {
    write('server/a.ts', 'one')
    const part = { root, inputs: ['server'], outputs: ['dist/server/a.js'] }
    const stamp = fingerprint(root, ['server'])
    expect(staleReason({ ...part, stamp: undefined })).toBe('not built yet')
    expect(staleReason({ ...part, stamp })).toBe('dist/server/a.js is missing')
    write('dist/server/a.js', 'one')
    expect(staleReason({ ...part, stamp })).toBeNull()
    write('server/a.ts', 'two')
    expect(staleReason({ ...part, stamp })).toBe('sources changed')
  })

  it('treats unreadable stamps as missing', () => {
    expect(readStamps(join(root, 'none.json'))).toEqual({})
    write('stamps.json', '{"server": "abc')
    expect(readStamps(join(root, 'stamps.json'))).toEqual({})
    write('stamps.json', 'null')
    expect(readStamps(join(root, 'stamps.json'))).toEqual({})
    write('stamps.json', '{"server": "abc"}')
    expect(readStamps(join(root, 'stamps.json'))).toEqual({ server: 'abc' })
  })
})

describe('the check of installed packages', () => {
  const entry = (version: string, more = {}) => ({ version, integrity: `sha512-${version}`, ...more })
  const lock = (packages: object) =>
    write('package-lock.json', JSON.stringify({ packages: { '': {}, ...packages } }))
  const record = (packages: object) => write('node_modules/.package-lock.json', JSON.stringify({ packages }))

  it("uses npm's record of installed packages, including manual installs", () => {
    lock({ 'node_modules/a': entry('1.0.0'), 'node_modules/b': entry('2.0.0', { optional: true }) })
    expect(isInstalled(root)).toBe(false)
    record({})
    expect(isInstalled(root)).toBe(false)
    record({ 'node_modules/a': entry('1.0.0') })
    expect(isInstalled(root)).toBe(true)
  })

  it('detects another version, another content of the same version, and an optional package of another version', () => {
    lock({ 'node_modules/a': entry('1.0.0'), 'node_modules/b': entry('2.0.0', { optional: true }) })
    record({ 'node_modules/a': entry('1.0.1') })
    expect(isInstalled(root)).toBe(false)
    record({ 'node_modules/a': entry('1.0.0', { integrity: 'sha512-other' }) })
    expect(isInstalled(root)).toBe(false)
    record({ 'node_modules/a': entry('1.0.0'), 'node_modules/b': entry('1.9.0') })
    expect(isInstalled(root)).toBe(false)
  })
})

describe('the bundle', () => {
  it('has an entry for each worker thread of the service', () => {
    const sources = listFiles(top, ['server']).filter((path) => path.endsWith('.worker.ts'))
    expect(workers.toSorted()).toEqual(sources.map((path) => path.replace(/\.ts$/, '')))
  })
})

describe('tests of a stale build', () => {
  it('names the sources that were changed after the compiler last ran', () => {
    write('server/a.ts', '')
    write('server/b.ts', '')
    write('server/notes.md', '')
    write('dist/server.tsbuildinfo', '')
    const at = (path: string, seconds: number) => utimesSync(join(root, path), seconds, seconds)
    at('server/a.ts', 100)
    at('server/b.ts', 100)
    at('server/notes.md', 900)
    at('dist/server.tsbuildinfo', 200)
    expect(newerThanBuilt(root, ['server'])).toEqual([])
    at('server/b.ts', 300)
    expect(newerThanBuilt(root, ['server'])).toEqual(['server/b.ts'])
    rmSync(join(root, 'dist'), { recursive: true })
    expect(newerThanBuilt(root, ['server'])).toEqual(['server/a.ts', 'server/b.ts'])
  })

  it('accepts sources of which only times changed', () => {
    write('server/a.ts', 'one')
    expect(hasBuilt(root, ['server'])).toBe(false)
    write('dist/.built.json', JSON.stringify({ server: fingerprint(root, ['server']) }))
    utimesSync(join(root, 'server/a.ts'), 9e9, 9e9)
    expect(newerThanBuilt(root, ['server'])).toEqual(['server/a.ts'])
    expect(hasBuilt(root, ['server'])).toBe(true)
    write('server/a.ts', 'two')
    expect(hasBuilt(root, ['server'])).toBe(false)
  })

  it('names the modules that were compiled after the programs were bundled', () => {
    write('dist/server/a.js', '')
    write('dist/server/lib/b.js', '')
    write('dist/server/lib/b.d.ts', '')
    expect(newerThanBundle(root, ['server'])).toEqual(['dist/server/a.js', 'dist/server/lib/b.js'])
    write('dist/bundle/service/cli.js', '')
    const at = (path: string, seconds: number) => utimesSync(join(root, path), seconds, seconds)
    at('dist/server/a.js', 100)
    at('dist/server/lib/b.js', 100)
    at('dist/bundle/service/cli.js', 200)
    expect(newerThanBundle(root, ['server'])).toEqual([])
    at('dist/server/lib/b.js', 300)
    expect(newerThanBundle(root, ['server'])).toEqual(['dist/server/lib/b.js'])
  })
})
