import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { environmentOf, readCompose, readTop, serviceOf } from './compose-file.ts'

const secrets = {
  POSTGRES_PASSWORD: '1'.repeat(64),
  KEYS_SECRET: '2'.repeat(64),
  SERVICE_TOKEN: '3'.repeat(64),
}
const file = readCompose(secrets)
const instances = ['one', 'two']

describe('compose.yaml', () => {
  it('needs each secret as a variable, which docs/scaling.md creates', () => {
    for (const name of Object.keys(secrets)) {
      expect(() => readCompose({ ...secrets, [name]: '' })).toThrow(name)
      expect(readTop('docs/scaling.md')).toContain(`${name}=`)
    }
  })

  it('gives both instances a configuration that the service accepts, one database and a port each', () => {
    const [one, two] = instances.map((name) => readConfig(environmentOf(file, name)))
    const { port, ...shared } = one ?? {}
    expect(two).toEqual({ ...shared, port: 4782 })
    expect(one).toMatchObject({ port: 4781, host: '127.0.0.1', publicUrl: 'http://localhost:8080' })
    expect(one?.database?.url).toBe(`postgres://promptdeck:${secrets.POSTGRES_PASSWORD}@postgres/promptdeck`)
    const postgres = environmentOf(file, 'postgres')
    expect(postgres).toEqual({
      POSTGRES_USER: 'promptdeck',
      POSTGRES_DB: 'promptdeck',
      POSTGRES_PASSWORD: secrets.POSTGRES_PASSWORD,
    })
  })

  it('balances over the ports of the instances, and publishes on this machine only unless told otherwise', () => {
    expect(environmentOf(file, 'balancer')).toEqual({
      PUBLIC_URL: 'http://localhost:8080',
      INSTANCES: '127.0.0.1:4781 127.0.0.1:4782',
    })
    expect(serviceOf(file, 'network').ports).toEqual(['127.0.0.1:8080:8080'])
    for (const name of ['balancer', ...instances])
      expect(serviceOf(file, name).network_mode).toBe('service:network')
  })

  it('checks the health of each instance and of the database, and names only files and volumes that exist', () => {
    for (const name of instances) {
      const { healthcheck, depends_on, volumes } = serviceOf(file, name)
      expect(healthcheck?.test).toEqual(['CMD', 'node', 'deploy/ready.mjs'])
      expect(depends_on?.['postgres']?.condition).toBe('service_healthy')
      expect(volumes).toEqual([`${name}:/data`])
    }
    expect(serviceOf(file, 'postgres').healthcheck?.test).toContain('pg_isready')
    for (const service of Object.values(file.services))
      for (const source of (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''))
        expect(source.startsWith('./') ? isFile(source) : source in file.volumes).toBe(true)
  })
})

describe('Dockerfile', () => {
  const lines = readTop('Dockerfile').split('\n')

  it('runs the service with the Node and the flags of the package, not as root', () => {
    const node = /^FROM node:(\d+)/m.exec(readTop('Dockerfile'))?.[1]
    const { engines, scripts } = JSON.parse(readTop('package.json'))
    expect(engines.node).toMatch(new RegExp(`^>=${node}\\.`))
    expect(lines).toContain('USER node')
    const command = lines.find((line) => line.startsWith('CMD '))?.slice('CMD '.length)
    const flags = ['--v8-pool-size=1', '--max-semi-space-size=64']
    expect(JSON.parse(command ?? '')).toEqual(['node', ...flags, 'dist/bundle/service/cli.js'])
    for (const name of ['start', 'serve'])
      expect(scripts[name]).toBe(['node', ...flags, `scripts/${name}.mjs`].join(' '))
  })

  it('copies what exists after a build', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY '))
      .map((line) => line.split(' ').slice(1))
      .flatMap(([first = '', ...rest]) => (first.startsWith('--') ? rest : [first, ...rest]).slice(0, -1))
      .map((path) => path.replace(/^\/app\//, ''))
    expect(copied).toContain('dist/bundle')
    expect(copied.filter((path) => !isFile(path))).toEqual([])
  })
})

function isFile(path: string): boolean {
  return existsSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)))
}
