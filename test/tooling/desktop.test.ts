import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasFailedRecently } from '../../scripts/lib/electron.mjs'
import { readFuses, wantedFuses, wrongFuses } from '../../scripts/lib/fuses.mjs'
import { appIcons, installerIcons } from '../../scripts/lib/icons.mjs'
import { draw, icns, ico, png, polygon, roundedSquare } from '../../scripts/lib/picture.mjs'
import { top } from '../support/source-tree.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'promptdeck-pack-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the fuses of a packed app', () => {
  const yaml = readFileSync(`${top}electron-builder.yml`, 'utf8')
  const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
  /** Creates a binary with Electron's default fuses. */
  const binary = (copies = 1) => {
    const file = join(folder, 'electron')
    const wire = Buffer.from([1, 8, ...'10110011'.split('').map((state) => state.charCodeAt(0))])
    const part = Buffer.concat([Buffer.alloc(1000, 7), Buffer.from(sentinel), wire, Buffer.alloc(50, 9)])
    writeFileSync(file, Buffer.concat(Array.from({ length: copies }, () => part)))
    return file
  }

  it('are each set in electron-builder.yml', () => {
    expect(wantedFuses(yaml)).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    })
    expect(wantedFuses('files: []\n')).toEqual({})
  })

  it('are read from bytes that the packer’s own tool wrote', async () => {
    for (const copies of [1, 2]) {
      const file = binary(copies)
      const wanted = wantedFuses(yaml)
      expect(wrongFuses(wanted, await readFuses(file))).toEqual([
        'runAsNode is true and must be false',
        'enableCookieEncryption is false and must be true',
        'enableNodeOptionsEnvironmentVariable is true and must be false',
        'enableNodeCliInspectArguments is true and must be false',
        'enableEmbeddedAsarIntegrityValidation is false and must be true',
        'onlyLoadAppFromAsar is false and must be true',
        'loadBrowserProcessSpecificV8Snapshot is true and must be false',
        'grantFileProtocolExtraPrivileges is true and must be false',
      ])
      await flipFuses(file, {
        version: FuseVersion.V1,
        [FuseV1Options.RunAsNode]: false,
        [FuseV1Options.EnableCookieEncryption]: true,
        [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
        [FuseV1Options.EnableNodeCliInspectArguments]: false,
        [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
        [FuseV1Options.OnlyLoadAppFromAsar]: true,
        [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
        [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
      })
      expect(wrongFuses(wanted, await readFuses(file))).toEqual([])
    }
  })

  it('are reported as missing if Electron no longer has one, or the file is not Electron', async () => {
    const file = binary()
    const bytes = readFileSync(file)
    bytes[bytes.indexOf(sentinel) + sentinel.length + 2] = 'r'.charCodeAt(0)
    writeFileSync(file, bytes)
    expect(wrongFuses({ runAsNode: false }, await readFuses(file))).toEqual([
      'runAsNode is absent and must be false',
    ])
    bytes[bytes.indexOf(sentinel) + sentinel.length] = 2
    writeFileSync(file, bytes)
    await expect(readFuses(file)).rejects.toThrow('version 2')
    writeFileSync(file, 'a script')
    await expect(readFuses(file)).rejects.toThrow('Could not find sentinel')
  })

  it('must be equal in a binary for two processors', async () => {
    const file = binary(2)
    const bytes = readFileSync(file)
    bytes[bytes.lastIndexOf(sentinel) + sentinel.length + 2] = '0'.charCodeAt(0)
    writeFileSync(file, bytes)
    await expect(readFuses(file)).rejects.toThrow('two sets')
  })
})

describe('the icons', () => {
  const sizeOf = (image: Buffer) => [image.readUInt32BE(16), image.readUInt32BE(20)]

  it('of the windows and the tray are in git in every size', () => {
    for (const { path } of appIcons()) {
      const size = path.includes('icon.png') ? 256 : path.includes('Template') ? 18 : 16
      expect(sizeOf(readFileSync(`${top}${path}`)), path).toEqual(
        Array(2).fill(path.includes('@2x') ? size * 2 : size),
      )
    }
    expect(readFileSync(`${top}electron-builder.yml`, 'utf8')).toContain('  - main/icons/*.png')
  })

  it('are drawn in every size and format that the packer needs', () => {
    const icons = new Map(installerIcons().map(({ path, bytes }) => [path, bytes]))
    const pictures = [16, 24, 32, 48, 64, 128, 256, 512, 1024].map(
      (size) => `build/icons/${size}x${size}.png`,
    )
    expect([...icons.keys()]).toEqual([...pictures, 'build/icon.ico', 'build/icon.icns'])
    expect(sizeOf(icons.get('build/icons/48x48.png')?.() ?? Buffer.alloc(0))).toEqual([48, 48])
    const windows = icons.get('build/icon.ico')?.() ?? Buffer.alloc(0)
    expect([windows.readUInt16LE(2), windows.readUInt16LE(4)]).toEqual([1, 7])
    expect(windows.length).toBeLessThan(32 * 1024)
  })

  it('have soft edges on a transparent background', () => {
    const black = [0, 0, 0] as const
    const half = polygon([
      [0, 0],
      [24, 0],
      [0, 24],
    ])
    const { pixels } = draw(8, [{ colour: black, alpha: 1, contains: half }])
    const alpha = (x: number, y: number) => pixels[(y * 8 + x) * 4 + 3]
    expect(alpha(0, 0)).toBe(255)
    expect(alpha(7, 7)).toBe(0)
    expect(alpha(4, 3)).toBeGreaterThan(60)
    expect(alpha(4, 3)).toBeLessThan(200)
    const round = roundedSquare(0, 24, 6)
    expect([round(0.5, 0.5), round(12, 0.5), round(12, 12), round(25, 12)]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  it('have the format of their systems', () => {
    const picture = draw(16, [{ colour: [1, 2, 3], alpha: 1, contains: () => true }])
    const image = png(picture)
    const windows = ico([picture])
    // One bitmap: its header counts the image and its mask; its pixels are blue, green, red, alpha.
    expect([windows[6], windows.readUInt32LE(14), windows.readUInt32LE(18)]).toEqual([16, 40 + 1024 + 64, 22])
    expect(windows.readInt32LE(22 + 8)).toBe(32)
    expect([...windows.subarray(62, 66)]).toEqual([3, 2, 1, 255])
    const mac = icns([['ic11', picture]])
    expect(mac.subarray(16).equals(image)).toBe(true)
    expect(mac.toString('latin1', 8, 12)).toBe('ic11')
  })
})

it('tries to download Electron at most once a day, and at once for another version', () => {
  const day = 86_400_000
  const note = `45.4.1 ${day}\n`
  expect(hasFailedRecently(note, '45.4.1', day + 1)).toBe(true)
  expect(hasFailedRecently(note, '45.4.1', 2 * day - 1)).toBe(true)
  expect(hasFailedRecently(note, '45.4.1', 2 * day)).toBe(false)
  expect(hasFailedRecently(note, '45.4.2', day + 1)).toBe(false)
  // A clock that was set back, and a damaged note.
  expect(hasFailedRecently(note, '45.4.1', 0)).toBe(false)
  expect(hasFailedRecently('45.4.1', '45.4.1', day)).toBe(false)
  expect(hasFailedRecently('', '45.4.1', day)).toBe(false)
})
