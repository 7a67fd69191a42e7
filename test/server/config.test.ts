import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../server/config.ts'

describe('the configuration', () => {
  it('has defaults for everything', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 4780,
      dataDir: expect.stringMatching(/promptdeck/),
      serviceToken: null,
      logLevel: 'info',
      trustedProxies: [],
      allowedHosts: [],
      allowedOrigins: [],
      allowUrlToken: false,
      allowInsecureLan: false,
      runRetentionDays: null,
      maxStoreBytes: 1024 * 1024 * 1024,
      loginFailuresPerUser: 5,
      loginFailuresPerAddress: 20,
      backupsKept: 7,
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
  ])('%s=%j', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toMatchObject(expected)
  })
  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['LOG_LEVEL', 'loud'],
    ['TRUSTED_PROXIES', '10.0.0.0/40'],
    ['ALLOWED_ORIGINS', 'app.example'],
    ['ALLOW_URL_TOKEN', 'yes'],
    ['RUN_RETENTION_DAYS', '0'],
    ['MAX_STORE_MB', '1'],
    ['LOGIN_FAILURES_PER_USER', '0'],
  ])('%s=%j is refused by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^.*\\n  ${name}`))
  })
  it('is documented: README names every variable', () => {
    const source = readFileSync(new URL('../../server/config.ts', import.meta.url), 'utf8')
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    const names = [...source.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
  })
})
