import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { at, say } from './root.mjs'
import { run } from './run.mjs'

/** A first fetch of Electron may take this long, ms. */
const fetchLimit = 60_000
const home = 'node_modules/electron'
const triedFile = '.cache/electron-fetch'

/**
 * The Electron binary's path, or null. The package is only read, never imported: importing it downloads the binary.
 * @param {string} [folder] the electron package
 */
export function electronBinary(folder = at(home)) {
  try {
    const binary = `${folder}/dist/${readFileSync(`${folder}/path.txt`, 'utf8').trim()}`
    return existsSync(binary) ? binary : null
  } catch {
    return null
  }
}

/** Why a window cannot be opened here, or null. @param {NodeJS.ProcessEnv} env @param {NodeJS.Platform} platform @param {number | undefined} uid */
export function whyNoWindow(env, platform, uid) {
  if (platform !== 'linux') return null
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return 'there is no display'
  return uid === 0 ? "Electron's sandbox does not run as root" : null
}

/** Fetches Electron once per version: a machine without a way to it is not asked again at each start. */
export async function fetchElectron() {
  const version = JSON.parse(readFileSync(at(home, 'package.json'), 'utf8')).version
  const tried = at(triedFile)
  if (existsSync(tried) && readFileSync(tried, 'utf8') === version) return null
  mkdirSync(at('.cache'), { recursive: true })
  writeFileSync(tried, version)
  say(`fetching Electron ${version} for the desktop window, once, at most ${fetchLimit / 1000} s …`)
  const { code } = await run(process.execPath, [at(home, 'install.js')], {
    isAside: true,
    timeoutMs: fetchLimit,
  })
  const binary = code === 0 ? electronBinary() : null
  if (binary === null) say(`  not fetched; the browser will do (remove ${triedFile} to try again)`)
  return binary
}
