// @ts-check
import { setTimeout as delay } from 'node:timers/promises'
import { token } from '../lib/process.mjs'
import { createClient } from './clients.mjs'
import { requestUntilAnswered } from './load.mjs'

/** @type {readonly import('./clients.mjs').Kind[]} */
const kinds = ['sdk', 'sdk', 'browser', 'old sdk', 'limited']

/**
 * Statistics share the runs of an hour until there are more than 6,000. With that many before the start, no samples are
 * taken while they become more.
 */
const earlierRuns = { batches: 13, size: 500 }

/**
 * Creates the earlier runs, the prompts, the users and the limited token, and connects clients of all kinds.
 * @param {string} url @param {number} sockets
 */
export async function createFixture(url, sockets) {
  const must = async (/** @type {string} */ what, /** @type {any} */ body) => {
    const reply = await requestUntilAnswered(url, what, body)
    if (reply.status >= 300) throw new Error(`${what} answered ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const run = { provider: 'mock', model: 'earlier', latency_ms: 1, status: 'ok' }
  for (let batch = 0; batch < earlierRuns.batches; batch += 1)
    await must('POST /api/runs', new Array(earlierRuns.size).fill(run))
  /** @type {{ id: string, key: string }[]} */
  const prompts = []
  for (let number = 0; number < 20; number += 1) {
    const body = { key: `soak-${number}`, content: 'Hello {{name}}', env: 'prod' }
    const { data } = await must('POST /api/prompts', body)
    prompts.push({ id: data.id, key: data.key })
  }
  const tokenBody = { name: 'soak', role: 'viewer', workspace: 'default', namespaces: ['prod'] }
  const limited = (await must('POST /api/tokens', tokenBody)).data.token
  /** @type {string[]} */
  const sessions = []
  for (let user = 0; user < 2; user += 1) {
    const account = { username: `soak-${user}`, password: `a phrase of soak ${user}` }
    await must('POST /api/users', { ...account, role: 'viewer' })
    sessions.push((await must('POST /api/login', account)).token)
  }
  const clients = Array.from({ length: sockets }, (_, number) => {
    const kind = kinds[number % kinds.length] ?? 'sdk'
    const session = sessions[Math.floor(number / kinds.length) % sessions.length] ?? token
    const secret = kind === 'limited' ? limited : kind === 'browser' ? session : token
    return createClient(url, { kind, token: secret, number })
  })
  const running = clients.map((client) => client.run())
  return {
    prompts,
    clients,
    /** Waits up to 30 s for all clients to connect, and returns how many are connected. */
    async allOpen() {
      for (let tries = 0; tries < 300 && !clients.every((client) => client.isOpen()); tries += 1)
        await delay(100)
      return clients.filter((client) => client.isOpen()).length
    },
    /**
     * Waits up to 10 s for the clients that resume to receive all versions.
     * @param {readonly string[]} versions
     */
    async allReceived(versions) {
      const isBehind = (/** @type {typeof clients[number]} */ { resumes, seen }) =>
        resumes && !versions.every((version) => seen.has(version))
      for (let tries = 0; tries < 100 && clients.some(isBehind); tries += 1) await delay(100)
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()))
      await Promise.all(running)
    },
  }
}
