// @ts-check
// The machines of `run.mjs` and `pictures.mjs`: the built service on one, an empty home on the other.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { findChromium } from '../../../scripts/lib/chromium.mjs'
import { createMachines, runOn, startOn } from './machines.mjs'

export const at = (/** @type {string} */ path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
export const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))
const command = at('dist/bundle/service/promptdeck.js')
export const serviceToken = 'lan-harness-service-token-0123456789ab'
export const adminPassword = 'a long phrase of the admin'
export const lanPort = 4743
export const loopback = 'http://127.0.0.1:4780'

/** Polls until a result is there. @template T @param {() => Promise<T | null | undefined | false>} read @param {number} ms @returns {Promise<T>} */
export async function eventually(read, ms = 20_000, state = () => '') {
  for (const giveUpAt = Date.now() + ms; ; ) {
    const found = await read()
    if (found) return found
    // Lets output of programs arrive.
    await setImmediate()
    assert.ok(Date.now() < giveUpAt, `not within ${ms} ms: ${read}\n${state()}`)
  }
}

/** @typedef {Awaited<ReturnType<typeof startFixture>>} Fixture */

/** Creates the machines and starts the service on one. @param {string} address */
export async function startFixture(address) {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-lan-'))
  const [mateHome, dataDir] = [join(folder, 'mate'), join(folder, 'data')]
  mkdirSync(mateHome)
  const env = { PATH: process.env['PATH'], HOME: mateHome }
  const serverEnv = {
    ...env,
    HOME: folder,
    DATA_DIR: dataDir,
    SERVICE_TOKEN: serviceToken,
    LOG_LEVEL: 'error',
  }
  const machines = await createMachines(String(process.pid % 100_000))
  const calls = createCalls(machines)
  const service = startOn(machines.server, [process.execPath, at('dist/bundle/service/cli.js')], serverEnv)
  let log = ''
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text) => (log += text))
  /** Runs `promptdeck lan` on the machine of the service. @param {string[]} args */
  const lanCommand = (...args) =>
    runOn(machines.server, [process.execPath, command, 'lan', ...args], serverEnv)
  const fixture = {
    machines,
    command,
    authority: join(mateHome, 'ca.pem'),
    mateEnv: { ...process.env, HOME: process.env['HOME'], PROMPTDECK_CONFIG_DIR: mateHome },
    ...calls,
    lan: (/** @type {string} */ path, host = address) => `https://${host}:${lanPort}${path}`,
    /** Replaces the password of the admin and turns sharing on with the command. */
    share: () => share(calls, () => lanCommand('on')),
    lanCommand,
    /** Starts a program of the teammate, without the settings of the developer. @param {readonly string[]} args */
    startOnMate: (args) => startOn(machines.mate, [process.execPath, ...args], env),
    /** Lets the browser of the teammate trust the downloaded authority. */
    trustAuthority: () => trust(machines.mate, mateHome, env),
    /** Starts a browser on a machine. @param {string} machine */
    openBrowser(machine) {
      const program = findChromium() ?? 'chromium'
      const wrapper = join(folder, `chromium-${machine}`)
      writeFileSync(wrapper, `#!/bin/sh\nexec ip netns exec ${machine} "${program}" "$@"\n`, { mode: 0o755 })
      return chromium.launch({ executablePath: wrapper, args: ['--no-sandbox'], env })
    },
    async stop() {
      service.kill('SIGTERM')
      await once(service, 'close')
      await machines.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await eventually(async () => {
    assert.equal(service.exitCode, null, log)
    return (await calls.send(machines.server, `GET ${loopback}/health`)).status === 200
  })
  return fixture
}

/** @param {Awaited<ReturnType<typeof createMachines>>} machines */
function createCalls(machines) {
  /** Sends a request from a machine. @param {string} machine @param {string} what @param {object} [options] */
  async function send(machine, what, options = {}) {
    const [method = '', url = ''] = what.split(' ')
    const args = [process.execPath, here('./request.mjs'), method, url, JSON.stringify(options)]
    return JSON.parse(await runOn(machine, args, { PATH: process.env['PATH'] }))
  }

  /** Calls the API on the machine of the service, by default with the service token. @param {string} what @param {unknown} [body] */
  async function admin(what, body, token = serviceToken) {
    const [method, path] = what.split(' ')
    const reply = await send(machines.server, `${method} ${loopback}${path}`, {
      ...(token !== '' && { headers: { authorization: `Bearer ${token}` } }),
      ...(body !== undefined && { body }),
    })
    assert.ok(reply.status < 300, `${what}: ${reply.status} ${reply.text ?? reply.error}`)
    return JSON.parse(reply.text)
  }

  /** Approves the request of a device. @param {string} name */
  async function approve(name) {
    const request = await eventually(async () => {
      const { data } = await admin('GET /api/pairing/requests')
      return data.find((/** @type {any} */ each) => each.name === name && each.status === 'pending')
    })
    await admin(`POST /api/pairing/requests/${request.id}/approve`)
  }
  return { send, admin, approve }
}

/** @param {ReturnType<typeof createCalls>} calls @param {() => Promise<unknown>} turnOn */
async function share({ admin }, turnOn) {
  const { token } = await admin('POST /api/login', { username: 'admin', password: 'admin' }, '')
  await admin('PUT /api/me/password', { current_password: 'admin', new_password: adminPassword }, token)
  await turnOn()
  await eventually(async () => (await admin('GET /api/network')).data.state === 'listening')
}

/** @param {string} machine @param {string} home @param {NodeJS.ProcessEnv} env */
async function trust(machine, home, env) {
  const database = join(home, '.pki/nssdb')
  mkdirSync(database, { recursive: true })
  await runOn(machine, ['certutil', '-d', `sql:${database}`, '-N', '--empty-password'], env)
  const args = ['-A', '-t', 'C,,', '-n', 'deck', '-i', join(home, 'ca.pem')]
  await runOn(machine, ['certutil', '-d', `sql:${database}`, ...args], env)
}
