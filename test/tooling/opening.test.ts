import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAtLeast } from '../../scripts/ensure.mjs'
import { emitted } from '../../scripts/lib/build/built-sources.mjs'
import { findChromium } from '../../scripts/lib/chromium.mjs'
import { electronBinary, noWindowReason } from '../../scripts/lib/electron.mjs'
import { browserCommand } from '../../scripts/lib/open.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'promptdeck-open-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('compares versions of Node numerically', () => {
  expect(isAtLeast('20.19.0', '20.19')).toBe(true)
  expect(isAtLeast('20.20.2', '20.19')).toBe(true)
  expect(isAtLeast('24.0.0', '20.19')).toBe(true)
  expect(isAtLeast('20.9.0', '20.19')).toBe(false)
  expect(isAtLeast('18.20.4', '20.19')).toBe(false)
  expect(isAtLeast('25.0.0-nightly', '20.19')).toBe(true)
})

describe('the desktop window', () => {
  it('is offered if the binary exists, found without loading the package', () => {
    expect(electronBinary(folder)).toBeNull()
    writeFileSync(join(folder, 'path.txt'), 'electron')
    expect(electronBinary(folder)).toBeNull()
    mkdirSync(join(folder, 'dist'))
    writeFileSync(join(folder, 'dist/electron'), '')
    expect(electronBinary(folder)).toBe(`${folder}/dist/electron`)
  })

  it('needs a display, and a user other than root on Linux', () => {
    expect(noWindowReason({}, 'linux', 1000)).toBe('there is no display')
    expect(noWindowReason({ DISPLAY: ':0' }, 'linux', 0)).toMatch(/root/)
    expect(noWindowReason({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', 1000)).toBeNull()
    expect(noWindowReason({}, 'darwin', 501)).toBeNull()
    expect(noWindowReason({}, 'win32', undefined)).toBeNull()
  })
})

it('knows the command of each system to open an address, and that a machine without a display has none', () => {
  const url = 'http://127.0.0.1:4780'
  expect(browserCommand('darwin', {}, url)).toEqual(['open', url])
  expect(browserCommand('win32', {}, url)).toEqual(['cmd', '/c', 'start', '""', url])
  expect(browserCommand('linux', { DISPLAY: ':0' }, url)).toEqual(['xdg-open', url])
  expect(browserCommand('linux', {}, url)).toEqual([])
})

it('finds the given Chromium, else one on the path', () => {
  const path = join(folder, 'chromium')
  expect(findChromium({ CHROMIUM_PATH: path, PATH: folder })).toBeNull()
  writeFileSync(path, '')
  chmodSync(path, 0o755)
  expect(findChromium({ CHROMIUM_PATH: path })).toBe(path)
  expect(findChromium({ PATH: folder })).toBe(path)
})

it('runs the built file of a source, if it exists', () => {
  expect(emitted('server/index.ts')).toBe('dist/server/index.js')
  expect(emitted('contract/accounts/users.ts')).toBe('dist/contract/accounts/users.js')
  expect(emitted('main/preload.cts')).toBe('dist/main/preload.cjs')
  expect(emitted('renderer/lib/service/api.ts')).toBeNull()
  expect(emitted('test/support/service.ts')).toBeNull()
})
