import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FaultServer } from './fault-server.mjs'
import { caseCertificates } from './lib/certificates.mjs'
import { Clients } from './lib/clients.mjs'
import { createSteps } from './lib/steps.mjs'
import { within } from './lib/waiting.mjs'

/** Time limit of a case, regardless of its steps. */
const caseLimitMs = 60_000
const closeMs = 10_000
let caseCount = 0

/**
 * Runs one case against one adapter, with its own fault server and folder.
 * @returns {Promise<{ passed: true } | { passed: false, step: number | null, reason: string }>} `step` counts
 *   from 1.
 */
export async function runCase(testCase, adapter) {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-case-'))
  const result = await runIn(folder, testCase, adapter)
  try {
    rmSync(folder, { recursive: true, force: true })
    return result
  } catch (error) {
    // A client writes into its folder although it is closed.
    return result.passed ? { passed: false, step: null, reason: error.message } : result
  }
}

async function runIn(folder, testCase, adapter) {
  caseCount += 1
  const number = caseCount
  const tls = await tlsOf(testCase.server?.tls)
  const server = new FaultServer(testCase.server, adapter.origin === null ? [] : [adapter.origin], tls)
  await server.start()
  const clients = new Clients(adapter, `${number}`, { server: server.url, folder, certificates: tls })
  if (testCase.stored !== undefined) clients.store(testCase.stored)
  const context = { server, clients, folder: join(folder, 'cache'), background: new Map() }
  const playStep = createSteps(context)
  let step = null
  try {
    await within(run(), caseLimitMs, 'The case')
    return { passed: true }
  } catch (error) {
    return { passed: false, step, reason: error.message }
  } finally {
    clients.detach()
    await server.stop()
  }

  async function run() {
    let failure = null
    try {
      if (testCase.client !== null) await clients.make('a', testCase.client ?? {})
      for (const [index, caseStep] of testCase.steps.entries()) {
        step = index + 1
        await playStep(caseStep)
      }
      step = null
      const unawaited = [...context.background.keys()]
      if (unawaited.length > 0) throw new Error(`No step awaits ${unawaited.join(', ')}`)
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
    const { clientCount } = clients
    if (ids.size > clientCount) throw new Error(`${clientCount} clients used ${ids.size} instance ids`)
  }
}

/** Returns the certificates for a fault server, and those that clients may trust; null for plain HTTP. */
async function tlsOf(kind) {
  if (kind === undefined) return null
  const { servers, otherCa } = await caseCertificates()
  return { ...servers[kind], otherCa }
}
