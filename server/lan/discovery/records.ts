import { isPermittedAddress } from '../certificates/constraints.ts'
import { hostOf } from '../network/names.ts'
import type { DnsMessage, DnsQuestion, DnsRecord } from './multicast.ts'

/** The type of the service (RFC 6763). */
export const serviceType = '_promptdeck._tcp.local'

/** An announced service. None of its fields is secret, and none is proof of its identity. */
export type Announcement = {
  readonly name: string
  readonly port: number
  /** SHA-256 of the authority's certificate, hex digits with `:`. */
  readonly fingerprint: string
}

/** A server that was found. Anyone on the network can claim any of this. */
export type FoundServer = {
  /** The first 16 hex digits of the fingerprint that the server claims to have. */
  readonly id: string
  readonly name: string
  /** Host and port, such as `192.168.1.20:4743`. */
  readonly address: string
}

/** Lifetime of the records in seconds (RFC 6762, 10): short, because addresses change. */
const lifetimeSeconds = 120
/** A string of a TXT record has at most 255 bytes. */
const maxNameBytes = 200
/** Limits of a received message; further records are ignored. */
const maxRecords = 64
const maxTexts = 16
const idDigits = 16

const idOf = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase().slice(0, idDigits)

/** Returns the names of the records. They contain the id, so that no two services claim the same name. */
function namesOf({ fingerprint }: Announcement) {
  const label = `promptdeck-${idOf(fingerprint)}`
  return { instance: `${label}.${serviceType}`, host: `${label}.local` }
}

/** Returns the records of a service at an IPv4 address. A lifetime of 0 announces that it has stopped. */
export function recordsOf(announcement: Announcement, address: string, ttl = lifetimeSeconds): DnsRecord[] {
  const { name, port, fingerprint } = announcement
  const { instance, host } = namesOf(announcement)
  const texts = ['v=1', `id=${idOf(fingerprint)}`, `name=${shortened(name)}`]
  return [
    { type: 'PTR', name: serviceType, ttl, data: instance },
    { type: 'SRV', name: instance, ttl, data: { target: host, port, priority: 0, weight: 0 } },
    { type: 'TXT', name: instance, ttl, data: texts },
    { type: 'A', name: host, ttl, data: address },
  ]
}

export function isAsked(questions: readonly DnsQuestion[], announcement: Announcement): boolean {
  const { instance, host } = namesOf(announcement)
  const own = new Set([serviceType, instance, host])
  return questions.slice(0, maxRecords).some(({ name }) => own.has(name.toLowerCase()))
}

/**
 * Returns the servers in a received message, each with its lifetime in seconds; 0: it has stopped. Ignores
 * everything that is incomplete, malformed, too large, or not an address in a private network.
 */
export function serversIn(message: DnsMessage): readonly { server: FoundServer; ttl: number }[] {
  const records = [...message.answers, ...message.additionals].slice(0, maxRecords)
  return records.flatMap((record) => {
    if (record.type !== 'PTR' || record.name.toLowerCase() !== serviceType) return []
    const server = serverOf(record.data, records)
    if (server === null) return []
    return [{ server, ttl: Math.min(record.ttl ?? 0, lifetimeSeconds) }]
  })
}

function serverOf(instance: string, records: readonly DnsRecord[]): FoundServer | null {
  const facts = textsOf(instance, records)
  const [id, name] = [facts.get('id') ?? '', facts.get('name') ?? '']
  const address = addressOf(instance, records)
  const isUsable = facts.get('v') === '1' && /^[0-9a-f]{16}$/.test(id) && isName(name)
  return isUsable && address !== null ? { id, name, address } : null
}

/** A name without characters that control the display, such as those that reverse its direction. */
const isName = (name: string): boolean => /^[^\p{C}\p{Zl}\p{Zp}]{1,63}$/u.test(name) && name.trim() === name

function textsOf(instance: string, records: readonly DnsRecord[]): ReadonlyMap<string, string> {
  const record = records.find((each) => each.type === 'TXT' && each.name === instance)
  if (record?.type !== 'TXT') return new Map()
  const data: readonly (string | Buffer)[] = Array.isArray(record.data) ? record.data : [record.data]
  const pairs = data.slice(0, maxTexts).map((each): [string, string] => {
    const text = typeof each === 'string' ? each : each.toString('utf8')
    const [key = ''] = text.split('=', 1)
    return [key, text.slice(key.length + 1)]
  })
  // The first of several strings with the same key counts (RFC 6763, 6.4).
  return new Map(pairs.reverse())
}

function addressOf(instance: string, records: readonly DnsRecord[]): string | null {
  const service = records.find((each) => each.type === 'SRV' && each.name === instance)
  if (service?.type !== 'SRV') return null
  const { target, port } = service.data
  const host = records.find((each) => each.type === 'A' && each.name === target)
  if (host?.type !== 'A' || !isPermittedAddress(host.data)) return null
  return port >= 1 && port <= 65_535 ? `${hostOf(host.data)}:${port}` : null
}

/** Returns the beginning of a name that fits into a TXT record, without half a character at its end. */
function shortened(name: string): string {
  let [text, bytes] = ['', 0]
  for (const character of name) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxNameBytes) break
    text += character
  }
  return text
}
