import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { at, log } from './root.mjs'
import { run } from './run.mjs'

/** Time limit for the download of Electron, in milliseconds. */
const fetchLimitMs = 60_000
const electronFolder = 'node_modules/electron'
const failedFile = '.cache/electron-failed'
const dayMs = 86_400_000

/**
 * Returns the path of the Electron binary, or null. The package is only read: importing it downloads the
 * binary.
 * @param {string} [folder] the electron package
 */
export function electronBinary(folder = at(electronFolder)) {
  try {
    const binary = `${folder}/dist/${readFileSync(`${folder}/path.txt`, 'utf8').trim()}`
    return existsSync(binary) ? binary : null
  } catch {
    return null
  }
}

/**
 * Returns the reason why no window can be opened here, or null.
 * @param {NodeJS.ProcessEnv} env @param {NodeJS.Platform} platform @param {number | undefined} uid
 */
export function noWindowReason(env, platform, uid) {
  if (platform !== 'linux') return null
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return 'there is no display'
  return uid === 0 ? "Electron's sandbox does not run as root" : null
}

/**
 * Returns true if a download failed within the last day: without network access, it is tried once a day
 * instead of at each start.
 * @param {string} note the version and time of the last failure
 * @param {string} version @param {number} now epoch milliseconds
 */
export function hasFailedRecently(note, version, now) {
  const [failed, at] = note.trim().split(' ')
  const age = now - Number(at)
  return failed === version && age >= 0 && age < dayMs
}

/** Downloads Electron and returns the path of its binary; null if the download fails. */
export async function fetchElectron() {
  const version = JSON.parse(readFileSync(at(electronFolder, 'package.json'), 'utf8')).version
  const note = at(failedFile)
  if (existsSync(note) && hasFailedRecently(readFileSync(note, 'utf8'), version, Date.now())) return null
  log(`fetching Electron ${version} for the desktop window (once, at most ${fetchLimitMs / 1000} s) …`)
  const { code } = await run(process.execPath, [at(electronFolder, 'install.js')], {
    callerHandlesSignals: true,
    timeoutMs: fetchLimitMs,
  })
  const binary = code === 0 ? electronBinary() : null
  if (binary !== null) {
    rmSync(note, { force: true })
    return binary
  }
  mkdirSync(at('.cache'), { recursive: true })
  writeFileSync(note, `${version} ${Date.now()}\n`)
  log(`  not fetched; the next attempt is in a day (remove ${failedFile} to try now)`)
  return null
}
