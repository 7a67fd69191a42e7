import { decode } from 'dns-packet'
import { expect, it } from 'vitest'
import { createAdvertiser } from '../../../server/lan/discovery/advertiser.ts'
import { browse, maxServers } from '../../../server/lan/discovery/browser.ts'
import type { DnsRecord } from '../../../server/lan/discovery/multicast.ts'
import { type FoundServer, recordsOf, serversIn, serviceType } from '../../../server/lan/discovery/records.ts'
import { manualClock } from '../../main/support/clock.ts'
import { adminPassword, lanOn, networkOf, shareWith, testNetwork } from '../../support/lan/lan.ts'
import { multicastBus } from '../../support/lan/multicast.ts'
import { watch } from '../../support/scenario.ts'
import { startTestServer } from '../../support/service.ts'

const fingerprint = `9F:86:${'D0:'.repeat(29)}0A`
const id = '9f86d0d0d0d0d0d0'
const announcement = { name: 'Blue desk', port: 4743, fingerprint }

/** Starts to look for servers on a bus. Returns what is known, and the clock. */
function looking(bus: ReturnType<typeof multicastBus>) {
  const clock = manualClock()
  const known: { servers: readonly FoundServer[] } = { servers: [] }
  const browsing = browse({
    open: bus.open,
    addresses: ['10.1.0.7'],
    after: clock.after,
    onChange: (servers) => {
      known.servers = servers
    },
  })
  clock.pass(0)
  return { clock, known, browsing }
}

const respond = (answers: readonly DnsRecord[]) => ({ type: 'response' as const, answers: [...answers] })

it('lets an app find a service, until it stops or its records expire', async () => {
  const bus = multicastBus()
  let nowMs = 0
  const advertiser = createAdvertiser({ open: bus.open, nowMs: () => nowMs })
  await advertiser.announce(announcement, ['10.1.0.2'])
  const { clock, known, browsing } = looking(bus)
  // The announcement was sent before the app looked, and answers pause for a second.
  expect(known.servers).toEqual([])
  nowMs += 1_000
  clock.pass(1_000)
  expect(known.servers).toEqual([{ id, name: 'Blue desk', address: '10.1.0.2:4743' }])
  const count = bus.sent.length
  await advertiser.announce(announcement, ['10.1.0.2'])
  expect(bus.sent).toHaveLength(count)

  await advertiser.announce(null, [])
  expect(known.servers).toEqual([])
  bus.inject(respond(recordsOf(announcement, '10.1.0.2')))
  expect(known.servers).toHaveLength(1)
  clock.pass(120_000)
  expect(known.servers).toEqual([])
  await browsing.stop()
  expect(bus.openSockets()).toBe(0)
  expect(clock.pendingTimers()).toBe(0)
})

it('announces name, port, address and the beginning of the fingerprint, and nothing else', () => {
  const records = recordsOf({ ...announcement, name: `${'ä'.repeat(62)}🙂` }, '10.1.0.2')
  expect(records).toEqual([
    { type: 'PTR', name: serviceType, ttl: 120, data: `promptdeck-${id}.${serviceType}` },
    {
      type: 'SRV',
      name: `promptdeck-${id}.${serviceType}`,
      ttl: 120,
      data: { target: `promptdeck-${id}.local`, port: 4743, priority: 0, weight: 0 },
    },
    {
      type: 'TXT',
      name: `promptdeck-${id}.${serviceType}`,
      ttl: 120,
      data: ['v=1', `id=${id}`, `name=${'ä'.repeat(62)}🙂`],
    },
    { type: 'A', name: `promptdeck-${id}.local`, ttl: 120, data: '10.1.0.2' },
  ])
})

it('answers at most once a second, and only what concerns it', async () => {
  const bus = multicastBus()
  let nowMs = 0
  const advertiser = createAdvertiser({ open: bus.open, nowMs: () => nowMs })
  await advertiser.announce(announcement, ['10.1.0.2'])
  nowMs += 1_000
  const ask = (name: string) => bus.inject({ type: 'query', questions: [{ name, type: 'PTR' }] })
  ask('_ipp._tcp.local')
  ask('desk.local')
  expect(bus.sent).toHaveLength(1)
  for (let i = 0; i < 100; i++) ask('_PromptDeck._tcp.local')
  expect(bus.sent).toHaveLength(2)
})

it.each<[string, (records: DnsRecord[]) => DnsRecord[]]>([
  ['no address', (records) => records.filter(({ type }) => type !== 'A')],
  ['no port', (records) => records.filter(({ type }) => type !== 'SRV')],
  ['no texts', (records) => records.filter(({ type }) => type !== 'TXT')],
  ['another type of service', (records) => records.map((each) => ({ ...each, name: '_other._tcp.local' }))],
  ['a public address', (records) => replaced(records, 'A', '203.0.113.9')],
  ['a name as address', (records) => replaced(records, 'A', 'example.org')],
  ['an unknown version', (records) => replaced(records, 'TXT', ['v=2', `id=${id}`, 'name=desk'])],
  ['no id', (records) => replaced(records, 'TXT', ['v=1', 'name=desk'])],
  ['a wrong id', (records) => replaced(records, 'TXT', ['v=1', 'id=../../etc', 'name=desk'])],
  ['no name', (records) => replaced(records, 'TXT', ['v=1', `id=${id}`, 'name='])],
  ['a long name', (records) => replaced(records, 'TXT', ['v=1', `id=${id}`, `name=${'x'.repeat(64)}`])],
  ['control characters', (records) => replaced(records, 'TXT', ['v=1', `id=${id}`, 'name=a\u001b[2Jb'])],
  ['reversed text', (records) => replaced(records, 'TXT', ['v=1', `id=${id}`, 'name=a\u202eb'])],
  ['texts that are no UTF-8', (records) => replaced(records, 'TXT', [Buffer.from([0xff, 0xfe, 0x00])])],
  ['the facts beyond the limit of texts', (records) => replaced(records, 'TXT', [...many(20), 'v=1'])],
  ['the facts beyond the limit of records', (records) => [...padding(80), ...records]],
  [
    'port 0',
    (records) =>
      replaced(records, 'SRV', { target: `promptdeck-${id}.local`, port: 0, priority: 0, weight: 0 }),
  ],
])('ignores an announcement with %s', (_, change) => {
  const bus = multicastBus()
  const { known, browsing } = looking(bus)
  bus.inject(respond(change(recordsOf(announcement, '10.1.0.2'))))
  expect(known.servers).toEqual([])
  bus.inject(respond(recordsOf(announcement, '10.1.0.2')))
  expect(known.servers).toHaveLength(1)
  void browsing.stop()
})

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `k${index}=x`)
const padding = (count: number): DnsRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    type: 'A',
    name: `h${index}.local`,
    ttl: 1,
    data: '10.1.0.9',
  }))
const replaced = (records: readonly DnsRecord[], type: DnsRecord['type'], data: unknown): DnsRecord[] =>
  records.map((record) => (record.type === type ? ({ ...record, data } as DnsRecord) : record))

it('keeps a bounded number of servers, whatever is announced, and no claim displaces another', () => {
  const bus = multicastBus()
  const { known, browsing } = looking(bus)
  bus.inject(respond(recordsOf(announcement, '10.1.0.2')))
  for (let i = 0; i < 300; i++)
    bus.inject(respond(recordsOf({ ...announcement, name: `flood ${i}` }, `10.2.${i >> 8}.${i & 255}`)))
  expect(known.servers).toHaveLength(maxServers)
  expect(known.servers[0]).toEqual({ id, name: 'Blue desk', address: '10.1.0.2:4743' })
  // A message with a thousand services is read up to its limit of records.
  const big = Array.from({ length: 250 }, (_, i) => recordsOf(announcement, `10.3.0.${i % 250}`)).flat()
  expect(
    serversIn({ type: 'response', questions: [], answers: big, additionals: [] }).length,
  ).toBeLessThanOrEqual(16)
  void browsing.stop()
})

it('is off by default; an admin turns it on, which is audited, and it ends with sharing', async () => {
  const bus = multicastBus()
  const substitutes = { network: testNetwork('127.0.0.1'), multicast: bus.open }
  const server = await startTestServer({ env: { LAN_PORT: '0' }, substitutes })
  try {
    expect(await networkOf(server)).toMatchObject({ discoverable: false, discovery: 'off' })
    const token = await server.login('admin', 'admin')
    const change = { current_password: 'admin', new_password: adminPassword }
    await server.call('PUT /api/me/password', { token, body: change })
    await server.call('PUT /api/network', { body: { enabled: true } })
    expect(await networkOf(server)).toMatchObject({ state: 'listening', discovery: 'off' })
    expect(bus.opened).toEqual([])
    const admin = await watch(server)
    await admin.run({
      name: 'is announced',
      call: 'PUT /api/network',
      body: { enabled: true, discoverable: true },
      status: 200,
      reply: { data: { state: 'listening', discoverable: true, discovery: 'announced' } },
      audit: ['service-token setting_change network'],
      frames: ['setting', 'audit'],
    })
    const { port, fingerprint: own } = await networkOf(server)
    const announced = decode(bus.sent.at(-1) ?? Buffer.alloc(0)).answers ?? []
    expect(announced).toContainEqual(expect.objectContaining({ type: 'A', data: '127.0.0.1' }))
    expect(announced).toContainEqual(
      expect.objectContaining({ type: 'SRV', data: expect.objectContaining({ port }) }),
    )
    expect(JSON.stringify(announced)).toContain(own?.replaceAll(':', '').toLowerCase().slice(0, 16))
    await admin.run({
      name: 'is turned off while the service stays shared',
      call: 'PUT /api/network',
      body: { enabled: true, discoverable: false },
      status: 200,
      reply: { data: { state: 'listening', discoverable: false, discovery: 'off' } },
      audit: ['service-token setting_change network'],
      frames: ['setting', 'audit'],
    })
    expect(bus.openSockets()).toBe(0)
    const { body } = await server.call('GET /api/audit?resource=network&limit=1')
    expect(body.data[0].summary).toBe('Turned discovery on the local network off')
    // It ends with sharing.
    await server.call('PUT /api/network', { body: { enabled: true, discoverable: true } })
    expect(bus.openSockets()).toBe(1)
    await server.call('PUT /api/network', { body: { enabled: false } })
    expect(bus.openSockets()).toBe(0)
    expect(decode(bus.sent.at(-1) ?? Buffer.alloc(0)).answers?.[0]).toMatchObject({ ttl: 0 })
    await admin.close()
  } finally {
    await server.close()
  }
})

it('is controlled by the environment', async () => {
  const bus = multicastBus()
  const substitutes = { network: testNetwork('127.0.0.1'), multicast: bus.open }
  const server = await startTestServer({ env: { ...lanOn, LAN_DISCOVERY: 'on' }, substitutes })
  try {
    expect(await shareWith(server)).toMatchObject({
      discovery: 'announced',
      fixed: ['LAN', 'LAN_PORT', 'LAN_DISCOVERY'],
    })
    const body = { enabled: true, discoverable: false }
    expect((await server.call('PUT /api/network', { body })).status).toBe(422)
  } finally {
    await server.close()
  }
})
