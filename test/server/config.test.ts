import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../server/config.ts'
import { databaseVariables } from '../../server/config-database.ts'
import { lanVariables } from '../../server/config-lan.ts'
import { limitVariables } from '../../server/config-limits.ts'

describe('the configuration', () => {
  it('has defaults for everything', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 4780,
      otel: null,
      dataDir: expect.stringMatching(/promptdeck/),
      database: null,
      serviceToken: null,
      journalBytes: 32 * 1024 * 1024,
      logLevel: 'info',
      trustedProxies: [],
      allowedHosts: [],
      allowedOrigins: [],
      allowUrlToken: false,
      allowInsecureLan: false,
      publicUrl: null,
      basePath: '',
      runRetentionDays: null,
      maxStoreBytes: 1024 * 1024 * 1024,
      loginFailuresPerUser: 5,
      loginFailuresPerAddress: 20,
      backupsKept: 7,
      providerCheckMinutes: 5,
      lan: { isOn: null, port: null, interfaces: null, name: null, isDiscoverable: null, own: null },
      limits: {
        liveConnections: 2000,
        liveConnectionsPerSession: 50,
        eventStreamsPerPrincipal: 1000,
        gatewayBodies: { maxBytes: 33_554_432, maxTotalBytes: 268_435_456 },
        providerQueue: 5000,
        providerQueuePerPrincipal: 1000,
        connectionsPerAddress: 512,
        requestsPerMinute: 300_000,
        unreadReplies: 2,
        unreadReplyMs: 60_000,
      },
    })
  })
  it.each([
    ['PORT', '0', { port: 0 }],
    ['SERVICE_TOKEN', '', { serviceToken: null }],
    ['PORT', '', { port: 4780 }],
    ['RUN_RETENTION_DAYS', '', { runRetentionDays: null }],
    ['SERVICE_TOKEN', ' x ', { serviceToken: 'x' }],
    ['TRUSTED_PROXIES', '10.0.0.0/8, ::1', { trustedProxies: ['10.0.0.0/8', '::1'] }],
    ['ALLOWED_HOSTS', 'deck.example,,other', { allowedHosts: ['deck.example', 'other'] }],
    ['ALLOW_URL_TOKEN', '1', { allowUrlToken: true }],
    ['ALLOW_URL_TOKEN', 'false', { allowUrlToken: false }],
    ['RUN_RETENTION_DAYS', '30', { runRetentionDays: 30 }],
    ['MAX_STORE_MB', '64', { maxStoreBytes: 64 * 1024 * 1024 }],
    ['JOURNAL_MB', '8', { journalBytes: 8 * 1024 * 1024 }],
    [
      'DATABASE_URL',
      'postgres://u:p@db.example/deck',
      { database: { url: 'postgres://u:p@db.example/deck', poolSize: 10 } },
    ],
    [
      'DATABASE_URL',
      ' postgres://u:p%40%2F@db/deck\n',
      { database: { url: 'postgres://u:p%40%2F@db/deck' } },
    ],
    ['DATABASE_URL', '', { database: null }],
    ['LAN', 'on', { lan: { isOn: true } }],
    ['LAN', 'off', { lan: { isOn: false } }],
    ['LAN', '', { lan: { isOn: null } }],
    ['LAN_PORT', '8443', { lan: { port: 8443 } }],
    ['LAN_INTERFACES', 'eth0, 192.168.1.5', { lan: { interfaces: ['eth0', '192.168.1.5'] } }],
    ['LAN_NAME', ' Team ', { lan: { name: 'Team' } }],
    ['LAN_DISCOVERY', 'on', { lan: { isDiscoverable: true } }],
    ['LAN_DISCOVERY', '', { lan: { isDiscoverable: null } }],
  ])('%s=%j', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toMatchObject(expected)
  })
  it.each([
    ['DATA_DIR', '/data '],
    ['DATA_DIR', '~/data'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['LOG_LEVEL', 'loud'],
    ['TRUSTED_PROXIES', '10.0.0.0/40'],
    ['ALLOWED_ORIGINS', 'app.example'],
    ['ALLOWED_ORIGINS', 'file:///page.html'],
    ['ALLOWED_HOSTS', 'https://deck.example'],
    ['PUBLIC_URL', 'deck.example'],
    ['PUBLIC_URL', 'https://deck.example/?q'],
    ['ALLOW_URL_TOKEN', 'yes'],
    ['RUN_RETENTION_DAYS', '0'],
    ['MAX_STORE_MB', '1'],
    ['JOURNAL_MB', '0'],
    ['LIVE_CONNECTIONS', '0'],
    ['REQUESTS_PER_MINUTE', 'many'],
    ['LOGIN_FAILURES_PER_USER', '0'],
    ['DATABASE_URL', 'mysql://db.example/deck'],
    ['DATABASE_URL', 'db.example'],
    ['DATABASE_URL', 'postgres://u:p@rt/secret@db.example/deck'],
    ['DATABASE_URL', 'postgres://u:p@rt#secret@db.example/deck'],
    ['DATABASE_CONNECTIONS', '1'],
    ['RUN_PARTITIONS', 'week'],
    ['PAYLOADS_URL', 'https://bucket.example'],
    ['PAYLOADS_URL', 's3://key:secret@bucket'],
    ['PAYLOADS_URL', 'file:///folder'],
    ['KEYS_DIR', '/keys'],
    ['KEYS_SECRET', 'a secret that is long enough, without DATABASE_URL'],
    ['SERVICE_TOKEN', 'key\nx'],
    ['SERVICE_TOKEN', '  '],
    ['PROMPTOPS_TOKEN', ' '],
    ['PROMPTOPS_TOKEN', 'schlüssel €'],
    ['LAN', 'maybe'],
    ['LAN_PORT', '65536'],
    ['LAN_INTERFACES', 'eth0,,eth1'],
    ['LAN_NAME', 'x'.repeat(64)],
    ['LAN_DISCOVERY', 'maybe'],
  ])('%s=%j is refused by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^.*\\n  ${name}`))
  })
  it('accepts an own certificate with its key only, and lists every failure at once', () => {
    const own = { TLS_CERT: '/tls/deck.crt', TLS_KEY: '/tls/deck.key' }
    expect(readConfig(own).lan.own).toEqual({ cert: '/tls/deck.crt', key: '/tls/deck.key' })
    const read = () => readConfig({ TLS_CERT: '/tls/deck.crt', LAN_PORT: 'x', PORT: '-1' })
    expect(read).toThrow(/\n {2}PORT: .*\n {2}LAN_PORT: .*\n {2}TLS_KEY: required, because TLS_CERT is set$/)
    expect(() => readConfig({ TLS_KEY: '/tls/deck.key' })).toThrow(/\n {2}TLS_CERT: required/)
    const spaces = { DATABASE_URL: 'postgres://db/x', KEYS_SECRET: ' '.repeat(32) }
    expect(() => readConfig(spaces)).toThrow(/\n {2}KEYS_SECRET: contains only spaces/)
  })
  it('refuses a limit of one request to the gateway above that of all requests', () => {
    const read = () => readConfig({ GATEWAY_BODY_MB: '300' })
    expect(read).toThrow(/\n {2}GATEWAY_BODY_MB: expected at most GATEWAY_BODIES_MB/)
  })
  it('is documented: docs/configuration.md has a row for every variable, docs/security.md for every limit', () => {
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    const variablesIn = (path: string) =>
      [...read(path).matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name)
    const others = variablesIn('server/config.ts')
    const lan = variablesIn('server/config-lan.ts')
    const limits = variablesIn('server/config-limits.ts')
    const database = variablesIn('server/config-database.ts')
    expect(database.toSorted()).toEqual(Object.keys(databaseVariables).toSorted())
    expect(lan.toSorted()).toEqual(Object.keys(lanVariables).toSorted())
    expect(others.length).toBeGreaterThan(10)
    expect(limits.toSorted()).toEqual(Object.keys(limitVariables).toSorted())
    const rows = new Set(
      [...read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name),
    )
    expect([...others, ...lan, ...limits, ...database].filter((name) => !rows.has(name))).toEqual([])
    const limitRows = [...read('docs/security.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name)
    expect(limitRows.toSorted()).toEqual(limits.toSorted())
  })
})
