import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { ensure } from './ensure.mjs'
import { electronBinary, fetchElectron } from './lib/electron.mjs'
import { installerIcons, writeIcons } from './lib/icons.mjs'
import { at, fromRoot, log, PlainError, script } from './lib/root.mjs'
import { runTool, tools } from './lib/run.mjs'

const systems = { linux: '--linux', darwin: '--mac', win32: '--win' }

/**
 * `npm run pack`: builds everything and packs the desktop app for this system into release/, then reads the
 * fuses from the packed binary. Other arguments are passed to electron-builder. An installer must be built on
 * its own system.
 */
await script(async () => {
  const flag = Object.entries(systems).find(([name]) => name === process.platform)?.[1]
  if (flag === undefined) throw new PlainError(`The desktop app does not support ${process.platform}.`)
  const args = process.argv.slice(2)
  const foreign = Object.values(systems).find((other) => other !== flag && args.includes(other))
  if (foreign !== undefined)
    throw new PlainError(`${foreign} must be packed on that system; on this one, use ${flag}.`)
  await ensure([])
  const isFetchable = !process.env['CI']
  if (electronBinary() === null && (!isFetchable || (await fetchElectron()) === null))
    throw new PlainError(
      "Electron's binary is missing (node_modules/electron/dist): nothing was packed.\n" +
        'Run `npx install-electron` with access to the download, then run this command again.',
    )
  await ensure(['server', 'console'], { force: true })
  writeIcons(installerIcons())
  // Use the binary that was found, not another download.
  const dist = `-c.electronDist=${at('node_modules/electron/dist')}`
  const { code } = await runTool(tools.electronBuilder, [...new Set([flag, ...args]), dist], { show: true })
  if (code !== 0) throw new PlainError('electron-builder failed.')
  await checkFuses()
})

/** Verifies the fuses in the packed binaries; the configuration alone does not prove them. */
async function checkFuses() {
  // Its packages are installed by now.
  const { readFuses, wantedFuses, wrongFuses } = await import('./lib/fuses.mjs')
  const wanted = wantedFuses(readFileSync(at('electron-builder.yml'), 'utf8'))
  const binaries = packedBinaries()
  if (binaries.length === 0)
    throw new PlainError('No packed binary was found in release/, so no fuse was read.')
  for (const binary of binaries) {
    const wrong = wrongFuses(wanted, await readFuses(binary))
    if (wrong.length > 0) throw new PlainError(`${fromRoot(binary)}:\n  ${wrong.join('\n  ')}`)
    log(`${fromRoot(binary)}: all ${Object.keys(wanted).length} fuses have the expected values`)
  }
}

/** Returns the file with the fuses in each unpacked folder. @returns {string[]} */
function packedBinaries() {
  const framework =
    'Promptdeck.app/Contents/Frameworks/Electron Framework.framework/Versions/A/Electron Framework'
  return readdirSync(at('release'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^(linux|win|mac)/.test(entry.name))
    .flatMap(({ name }) =>
      ['promptdeck', 'Promptdeck.exe', framework].map((file) => at('release', name, file)).filter(existsSync),
    )
}
