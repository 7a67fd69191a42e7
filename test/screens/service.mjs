import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../../scripts/lib/root.mjs'

/** The service token of every service that a script here starts. */
export const token = 'screens-service-token-0123456789abcdef'

/** Starts the built service on a free port. @param {string} dataDir */
export async function startService(dataDir) {
  const child = spawn(process.execPath, [join(root, 'dist/bundle/service/cli.js')], {
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, SERVICE_TOKEN: token, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /^listening on (\S+)$/.exec(line)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url: String(url), stop }
}

/** @param {string} url @param {string} path @param {unknown} body @param {string | null} bearer */
export const post = (url, path, body, bearer = token) => send('POST', url, path, body, bearer)

/** @param {string} method @param {string} url @param {string} path @param {unknown} body @param {string | null} bearer */
export async function send(method, url, path, body, bearer = token) {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}
