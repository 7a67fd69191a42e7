// @ts-check
// The service with all outgoing connections substituted: none leaves this machine. Attempts are appended to
// HOSTILE_LOG.
import { appendFileSync } from 'node:fs'
import net from 'node:net'
import { reachOf } from '../../../dist/server/outbound/addresses.js'
import { redirectAddress } from './redirector.mjs'

const log = process.env['HOSTILE_LOG'] ?? ''
const redirectPort = Number(process.env['HOSTILE_REDIRECTOR'])
const { connect } = net.Socket.prototype

/** @this {net.Socket} @param {...any} args */
net.Socket.prototype.connect = function substitutedConnect(...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args
  const host = typeof first === 'object' ? first.host : 'localhost'
  if (typeof first === 'object' && typeof first.path === 'string') return Reflect.apply(connect, this, args)
  appendFileSync(log, `${JSON.stringify({ host, port: first?.port, reach: reachOf(String(host)) })}\n`)
  if (host === redirectAddress) {
    Object.assign(first, { host: '127.0.0.1', port: redirectPort })
    return Reflect.apply(connect, this, args)
  }
  const refusal = Object.assign(new Error('refused by the harness'), { code: 'ECONNREFUSED' })
  setImmediate(() => this.destroy(refusal))
  return this
}

const { readConfig } = await import('../../../dist/server/config.js')
const { startServer } = await import('../../../dist/server/index.js')
const { createLogger } = await import('../../../dist/server/lib/logger.js')
const config = readConfig(process.env)
/** Number of look-ups by name. @type {Map<string, number>} */
const lookups = new Map()
const publicAddress = '93.184.216.34'

/** A substituted resolver: some names change their address between look-ups. @param {string} hostname */
async function resolve(hostname) {
  const times = (lookups.get(hostname) ?? 0) + 1
  lookups.set(hostname, times)
  if (net.isIP(hostname) !== 0) return [hostname]
  if (hostname.endsWith('.rebind')) return [times === 1 ? publicAddress : '127.0.0.1']
  if (hostname.endsWith('.late-rebind')) return [times <= 2 ? publicAddress : '127.0.0.1']
  if (hostname.endsWith('.mixed')) return [publicAddress, '127.0.0.1']
  if (hostname.endsWith('.redirect')) return [redirectAddress]
  return [/(?:^|\.)localhost$/.test(hostname) ? '127.0.0.1' : publicAddress]
}

const server = await startServer(config, {
  logger: createLogger(config),
  passwordCost: 4,
  resolve,
})
process.on('SIGTERM', () => {
  server.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
process.stdout.write(`listening on ${server.url}\n`)
