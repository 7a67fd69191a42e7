// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const token = 'harness-service-token-0123456789abcdef'
/** A small store: its spare capacity counts as memory in each process started from here. */
export const serviceEnv = { PORT: '0', LOG_LEVEL: 'warn', SERVICE_TOKEN: token, MAX_STORE_MB: '16' }
const service = fileURLToPath(new URL('./service.mjs', import.meta.url))
const tool = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`../../../dist/server/tools/${name}.js`, import.meta.url))

/** @typedef {{ readonly env: Readonly<Record<string, string>>, readonly preload?: string, readonly timeoutMs?: number }} Options */
/**
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null, stdout: string, stderr: string,
 *   isHung: boolean }} Exit
 */

/** @param {string} file @param {readonly string[]} args @param {Options} options */
function start(file, args, { env, preload }) {
  const preloads = preload === undefined ? [] : ['--import', preload]
  const child = spawn(process.execPath, [...preloads, file, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: process.env['TMPDIR'],
      ...serviceEnv,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  const closed = once(child, 'close')
  return { child, output, closed }
}

/**
 * Waits for the exit; sends SIGKILL after `ms`.
 * @param {ReturnType<typeof start>} started @param {number} ms @returns {Promise<Exit>}
 */
async function waitForExit({ child, output, closed }, ms) {
  let isHung = false
  const timer = setTimeout(() => {
    isHung = true
    child.kill('SIGKILL')
  }, ms)
  const [code, signal] = await closed
  clearTimeout(timer)
  return { code, signal, ...output, isHung }
}

/** Runs a tool of the service to its end. @param {string} name @param {readonly string[]} args @param {Options} options */
export const runTool = (name, args, options) =>
  waitForExit(start(tool(name), args, options), options.timeoutMs ?? 60_000)

/**
 * Starts the service. `url` is null if it exited or did not listen in time; `end` then returns its exit.
 * @param {Options} options
 */
export async function startService(options) {
  const started = start(service, [], options)
  const { child, output, closed } = started
  const ms = options.timeoutMs ?? 60_000
  /** @type {Promise<string>} */
  const listening = new Promise((resolve) => {
    child.stdout.on('data', () => {
      const url = /^listening on (http:\S+)$/m.exec(output.stdout)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  let isLate = false
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(() => {
      isLate = true
      resolve(null)
    }, ms)
  })
  const url = await Promise.race([listening, closed.then(() => null), late])
  clearTimeout(timer)
  if (isLate) child.kill('SIGKILL')
  return {
    url: /** @type {string | null} */ (url),
    isLate,
    output,
    pid: child.pid ?? 0,
    closed,
    /** @param {'SIGTERM' | 'SIGKILL'} signal */
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return waitForExit(started, ms)
    },
    end: () => waitForExit(started, ms),
  }
}

/**
 * Sends one request with a JSON body. Status 0: there was no reply in time.
 * @param {string} url @param {string} what `POST /api/runs` @param {unknown} [body] @param {number}
 *   [timeoutMs]
 * @returns {Promise<{ status: number, type: string, body: any }>}
 */
export async function request(url, what, body, timeoutMs = 20_000) {
  const [method = 'GET', path = '/'] = what.split(' ', 2)
  try {
    const reply = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const type = reply.headers.get('content-type') ?? ''
    return { status: reply.status, type, body: /json/.test(type) ? await reply.json() : await reply.text() }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return { status: 0, type: isLate ? 'late' : 'none', body: String(error) }
  }
}
