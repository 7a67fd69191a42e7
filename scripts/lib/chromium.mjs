import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'msedge',
]
const fixed = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/**
 * Returns the Chromium for browser tests: CHROMIUM_PATH, else one on the path or in a default location; or
 * null.
 */
export function findChromium(env = process.env) {
  const given = env['CHROMIUM_PATH']
  if (given) return isRunnable(given) ? given : null
  const endings = process.platform === 'win32' ? ['.exe'] : ['']
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.flatMap((name) => endings.map((ending) => join(folder, name + ending))))
  return [...onPath, ...fixed].find(isRunnable) ?? null
}

/** @param {string} path */
function isRunnable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
