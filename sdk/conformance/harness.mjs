import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FaultServer } from './fault-server.mjs'
import { Clients } from './lib/clients.mjs'
import { createSteps } from './lib/steps.mjs'
import { within } from './lib/waiting.mjs'

/** Time limit of a case, regardless of its steps. */
const mostMs = 60_000
const closeMs = 10_000
let played = 0

/**
 * Plays one case against one adapter, with its own fault server and cache folder.
 * @returns {Promise<{ passed: true } | { passed: false, step: number | null, why: string }>} `step` counts from 1
 */
export async function playCase(given, adapter) {
  played += 1
  const number = played
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-case-'))
  const server = new FaultServer(given.server, adapter.origin === null ? [] : [adapter.origin])
  await server.start()
  const clients = new Clients(adapter, `${number}`, { server: server.url, folder })
  const context = { server, clients, folder: join(folder, 'cache'), background: new Map() }
  const playStep = createSteps(context)
  let step = null
  try {
    await within(run(), mostMs, 'The case')
    return { passed: true }
  } catch (error) {
    return { passed: false, step, why: error.message }
  } finally {
    clients.detach()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }

  async function run() {
    let failure = null
    try {
      if (given.client !== null) await clients.make('a', given.client ?? {})
      for (const [index, one] of given.steps.entries()) {
        step = index + 1
        await playStep(one)
      }
      step = null
      const left = [...context.background.keys()]
      if (left.length > 0) throw new Error(`No step awaits ${left.join(', ')}`)
    } catch (error) {
      failure = error
    }
    await server.apply({ release: true })
    await clients.closeAll(closeMs).catch((error) => {
      failure ??= error
    })
    if (failure !== null) throw failure
    requireSecrecy()
    requireIdentity()
  }

  /** Fails if a token occurs in an address, an event, an error or a log line. Runs after every case. */
  function requireSecrecy() {
    for (const token of clients.tokens) {
      const request = server.requests.find(({ url }) => url.includes(token))
      if (request) throw new Error(`The token is in the address ${request.url}`)
      const leak = clients.texts.find((text) => text.includes(token))
      if (leak) throw new Error(`The token is in ${leak}`)
      if (adapter.log.includes(token)) throw new Error('The token is in a log line')
    }
  }

  /** Fails unless each client uses one instance id in all requests and hellos. Runs after every case. */
  function requireIdentity() {
    const inRequests = server.requests
      .filter(({ isUpgrade }) => !isUpgrade)
      .map(({ headers }) => headers['promptdeck-instance'])
    const inHellos = server.frames
      .filter(({ type }) => type === 'hello')
      .map(({ instance_id }) => instance_id)
    const ids = new Set([...inRequests, ...inHellos])
    if (ids.has(undefined)) throw new Error('A request or a hello has no instance id')
    if (ids.size > clients.made) throw new Error(`${clients.made} clients used ${ids.size} instance ids`)
  }
}
