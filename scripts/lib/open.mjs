import { spawn } from 'node:child_process'
import { electronBinary, fetchElectron, noWindowReason } from './electron.mjs'
import { at, log } from './root.mjs'

/**
 * Opens the console in the desktop window if Electron is present or can be downloaded, else in the browser.
 * @param {string} url
 */
export async function openConsole(url) {
  const noWindow = noWindowReason(process.env, process.platform, process.getuid?.())
  if (noWindow === null) {
    const binary = electronBinary() ?? (process.env['CI'] ? null : await fetchElectron())
    if (binary !== null) return openWindow(binary, url)
  }
  openBrowser(url)
}

/** @param {string} binary @param {string} url */
function openWindow(binary, url) {
  const window = spawn(binary, [at('.'), `--attach=${url}`], { stdio: 'ignore' })
  process.once('exit', () => window.kill())
  window.on('error', () => openBrowser(url))
  window.on('exit', () =>
    log(`the window is closed; the service keeps running at ${url} (press Ctrl+C to stop it)`),
  )
}

/** Opens the browser. Never fails: without a browser the user has the printed address. @param {string} url */
function openBrowser(url) {
  if (process.env['CI'] || process.env['BROWSER'] === 'none') return
  const [command, ...args] = browserCommand(process.platform, process.env, url)
  if (command === undefined) return
  const browser = spawn(command, args, { stdio: 'ignore', detached: true })
  browser.on('error', () => log(`open ${url} in a browser`))
  browser.unref()
}

/** @param {NodeJS.Platform} platform @param {NodeJS.ProcessEnv} env @param {string} url @returns {string[]} */
export function browserCommand(platform, env, url) {
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', url]
  if (platform === 'darwin') return ['open', url]
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open', url] : []
}
