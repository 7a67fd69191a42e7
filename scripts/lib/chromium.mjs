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
const defaultPaths = [
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
  const configured = env['CHROMIUM_PATH']
  if (configured) return isRunnable(configured) ? configured : null
  const suffixes = process.platform === 'win32' ? ['.exe'] : ['']
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.flatMap((name) => suffixes.map((suffix) => join(folder, name + suffix))))
  return [...onPath, ...defaultPaths].find(isRunnable) ?? null
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
