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
/** @typedef {Awaited<ReturnType<typeof createFixture>>} Fixture */

const service = fileURLToPath(new URL('./service.mjs', import.meta.url))

/** Starts a service with its principals, and collects violations. */
export async function createFixture() {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-hostile-'))
  const log = join(folder, 'outgoing.jsonl')
  writeFileSync(log, '')
  const redirector = await startRedirector()
  const { child, url, logged, closed } = await startService(folder, log, redirector.port)
  const fixture = {
    url,
    folder,
    ...createTally(),
    /** Bearer tokens by principal; null for none. @type {Record<string, string | null>} */
    principals: { anonymous: null },
    logged,
    isAlive: () => child.exitCode === null && child.signalCode === null,
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
  for (const role of ['viewer', 'editor', 'admin'])
    fixture.principals[role] = await createToken(url, role, { name: `as ${role}`, role })
  const limits = { workspace: 'default', namespaces: ['prod'] }
  fixture.principals['limited'] = await createToken(url, 'limited', {
    name: 'limited',
    role: 'viewer',
    ...limits,
  })
  return fixture
}

/** @param {string} folder @param {string} log @param {number} redirectorPort */
async function startService(folder, log, redirectorPort) {
  const child = spawn(process.execPath, [`--tls-cipher-list=${ciphers}`, '--tls-max-v1.2', service], {
    env: {
      // Required for the redirector, the only host that is reached.
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_NO_WARNINGS: '1',
      HOSTILE_REDIRECTOR: String(redirectorPort),
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      // The checks of providers that Schemathesis adds are not requests of its own.
      PROVIDER_CHECK_MINUTES: '0',
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
  return { child, url, closed, logged: () => logged }
}

/** Counts inputs and collects violations. */
function createTally() {
  /** @type {Violation[]} */
  const violations = []
  /** Counts of inputs by attack. @type {Record<string, number>} */
  const counts = {}
  /** Required number of inputs, by attack. @type {Record<string, number>} */
  const required = {}
  return {
    violations,
    counts,
    required,
    /** @param {string} kind @param {number} [by] */
    count(kind, by = 1) {
      counts[kind] = (counts[kind] ?? 0) + by
    },
    /**
     * Requires a number of inputs; fewer are a violation at the end.
     * @param {string} kind @param {number} times
     */
    requireInputs(kind, times) {
      required[kind] = (required[kind] ?? 0) + times
    },
    /** @param {boolean} isRight @param {string} kind @param {string} what @param {unknown} detail */
    expect(isRight, kind, what, detail) {
      if (isRight) return
      const length = kind === 'schemathesis' ? 6_000 : 400
      violations.push({ kind, what, detail: String(detail).slice(0, length) })
    },
  }
}

/** @param {string} url @param {string} name @param {object} body */
async function createToken(url, name, body) {
  const { status, body: reply } = await request(url, 'POST /api/tokens', body)
  const found = reply.token ?? reply.data?.token ?? reply.data?.secret
  if (typeof found !== 'string') throw new Error(`There is no token for ${name}: ${status}`)
  return found
}
