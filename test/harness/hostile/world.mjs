// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { request, token } from '../lib/process.mjs'
import { ciphers, startRedirector } from './redirector.mjs'

/** @typedef {{ kind: string, what: string, detail: string }} Violation */
/** @typedef {Awaited<ReturnType<typeof createWorld>>} World */

const service = fileURLToPath(new URL('./service.mjs', import.meta.url))

/** Starts a service with its principals, and collects violations. */
export async function createWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-hostile-'))
  const log = join(folder, 'outgoing.jsonl')
  writeFileSync(log, '')
  const redirector = await startRedirector()
  const child = spawn(process.execPath, [`--tls-cipher-list=${ciphers}`, '--tls-max-v1.2', service], {
    env: {
      // Required for the redirector, the only host that is reached.
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_NO_WARNINGS: '1',
      HOSTILE_REDIRECTOR: String(redirector.port),
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      LOG_LEVEL: 'error',
      SERVICE_TOKEN: token,
      DATA_DIR: join(folder, 'data'),
      HOSTILE_LOG: log,
      LOGIN_FAILURES_PER_USER: '10000',
      LOGIN_FAILURES_PER_ADDRESS: '100000',
      // Rate limits would end most attacks early.
      REQUESTS_PER_MINUTE: '1000000',
      CONNECTIONS_PER_ADDRESS: '100000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let logged = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    logged = (logged + text).slice(-20_000)
  })
  const closed = once(child, 'close')
  /** @type {string | null} */
  const url = await new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /^listening on (http:\S+)$/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    closed.then(() => resolve(null))
  })
  if (url === null) throw new Error(`the service did not start: ${logged}`)

  /** @type {Violation[]} */
  const violations = []
  const world = {
    url,
    folder,
    violations,
    /** Counts of inputs by attack. @type {Record<string, number>} */
    counts: {},
    /** Bearer tokens by principal; null for none. @type {Record<string, string | null>} */
    principals: { anonymous: null },
    logged: () => logged,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** @param {string} kind @param {number} [by] */
    count(kind, by = 1) {
      world.counts[kind] = (world.counts[kind] ?? 0) + by
    },
    /** Required number of inputs, by attack. @type {Record<string, number>} */
    asked: {},
    /**
     * Requires a number of inputs; fewer are a violation at the end.
     * @param {string} kind @param {number} times
     */
    ask(kind, times) {
      world.asked[kind] = (world.asked[kind] ?? 0) + times
    },
    /** @param {boolean} isRight @param {string} kind @param {string} what @param {unknown} detail */
    expect(isRight, kind, what, detail) {
      if (!isRight)
        violations.push({
          kind,
          what,
          detail: String(detail).slice(0, kind === 'schemathesis' ? 6_000 : 400),
        })
    },
    outgoing: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => /** @type {{ host: string, port: number, reach: string }} */ (JSON.parse(line))),
    rss: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    async close() {
      child.kill('SIGTERM')
      const [code] = await closed
      await redirector.close()
      rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
  /** @param {string} name @param {object} body */
  const addPrincipal = async (name, body) => {
    const { status, body: made } = await request(url, 'POST /api/tokens', body)
    const found = made.token ?? made.data?.token ?? made.data?.secret
    if (typeof found !== 'string') throw new Error(`There is no token for ${name}: ${status}`)
    world.principals[name] = found
  }
  for (const role of ['viewer', 'editor', 'admin']) await addPrincipal(role, { name: `as ${role}`, role })
  const limits = { workspace: 'default', namespaces: ['prod'] }
  await addPrincipal('limited', { name: 'limited', role: 'viewer', ...limits })
  return world
}
