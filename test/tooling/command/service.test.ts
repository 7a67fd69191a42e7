import { exec } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { readdirSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerCommand, program, spawnCommand } from '../../support/command.ts'
import { listen } from '../../support/http/loopback.ts'
import { type ServiceProcess, spawnService } from '../../support/process.ts'
import { serviceToken } from '../../support/service.ts'

let folder = ''
let data = ''
let config = ''
let service: ServiceProcess

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnCommand(args, { config, data, env })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptdeck-command-'))
  data = join(folder, 'data')
  config = join(folder, 'config')
  await mkdir(config)
  service = await spawnService({ DATA_DIR: data })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('the help', () => {
  const commands = [
    'start',
    'serve',
    'seed',
    'status',
    'lan on',
    'lan off',
    'lan status',
    'pair',
    'servers list',
    'servers use',
    'servers remove',
    'devices list',
    'devices revoke',
    'admin recover',
    'backup create',
    'backup list',
    'backup restore',
    'audit verify',
    'store recover',
    'export',
    'mcp',
  ]

  it('of every command has a description and examples', async () => {
    for (const command of commands) {
      const ended = await answerCommand([...command.split(' '), '--help'], { config, data })
      expect(ended, command).toMatchObject({ code: 0, err: '' })
      expect(ended.out, command).toMatch(new RegExp(`Examples:\\n( {2}\\$ .*promptdeck ${command}.*\\n?)+`))
    }
  })

  it('lists the commands and the exit codes', async () => {
    const { out } = await run(['--help'])
    for (const command of commands) expect(out).toContain(` ${command.split(' ')[0]} `)
    expect(out).toContain('Exit codes: 0 success, 1 failure, 2 wrong use.')
  })

  it('is what a wrong call refers to, with exit code 2', async () => {
    expect(await run(['nonsense'])).toMatchObject({ code: 2, out: '' })
    const wrong = [
      ['lan'],
      ['servers', 'use'],
      ['status', '--nothing'],
      ['export', 'users'],
      ['lan', 'on', '--port', '70000'],
      ['status', '--url', 'desk.local'],
      ['seed', 'x'],
      ['seed', '--data', ''],
      ['backup', 'restore', 'x', '--data', ''],
    ]
    for (const args of wrong)
      expect(await answerCommand(args, { config, data }), args.join(' ')).toMatchObject({ code: 2, out: '' })
  })
})

describe('a command on the machine of the service', () => {
  it('has admin rights without a token, by possession of the data folder', async () => {
    const ended = await run(['status', '--json'])
    expect(ended).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(ended.out)).toMatchObject({
      address: service.url,
      via: 'local',
      server: null,
      status: 'ok',
      user: { name: 'local-command', role: 'admin' },
    })
    const text = await run(['status'])
    expect(text.out).toMatch(
      /^Address {2}http:.*\(this machine\)\nState {4}ok\nVersion {2}.*\nYou are {2}local-command \(admin\)/,
    )
  })

  it('has the rights of a given token instead', async () => {
    const asAdmin = await run(['status', '--json'], { PROMPTDECK_TOKEN: serviceToken })
    expect(JSON.parse(asAdmin.out)).toMatchObject({ user: { name: 'service-token' } })
    const wrong = await run(['backup', 'list'], { PROMPTDECK_TOKEN: 'wrong' })
    expect(wrong).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/Why: .*\nWhat to do: .*PROMPTDECK_TOKEN/),
    })
    expect(wrong.err).not.toContain('wrong\n')
  })

  it('has none at a given address', async () => {
    const ended = await run(['backup', 'list', '--url', service.url])
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('What to do: ') })
    const status = await run(['status', '--json', '--url', service.url])
    expect(JSON.parse(status.out)).toMatchObject({ via: 'address', user: null })
  })

  it('names the folder if no service uses it', async () => {
    const other = join(folder, 'other')
    const ended = await run(['status', '--data', other])
    expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining(other) })
    const closed = await run(['status', '--url', 'http://127.0.0.1:1'])
    expect(closed).toMatchObject({ code: 1, err: expect.stringContaining('Connection refused') })
  })

  it('exports to stdout and to a new file', async () => {
    const audit = await run(['export', 'audit', '--format', 'jsonl'])
    expect(audit).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(audit.out.split('\n')[0] ?? '')).toMatchObject({ actor: expect.any(String) })
    const file = join(folder, 'runs.csv')
    expect(await run(['export', 'runs', '--output', file])).toMatchObject({ code: 0, out: '' })
    expect(await readFile(file, 'utf8')).toContain('latency_ms')
    const again = await run(['export', 'runs', '--output', file])
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('could not be written') })
    const invalid = await run(['export', 'runs', '--format', 'xml'])
    expect(invalid).toMatchObject({ code: 1, out: '', err: expect.stringContaining('format') })
    const unknown = await run(['export', 'runs', '--workspace', 'typo'])
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Workspace not found') })
    expect(await run(['export', 'prompts', '--workspace', 'default'])).toMatchObject({ code: 0, err: '' })
  })

  it('reports an export that breaks off, leaves no file, and ends with its reader', async () => {
    const file = join(folder, 'part.csv')
    const files = () => readdirSync(folder).filter((name) => name.startsWith('part.csv'))
    const other = createServer(({ url: path }, reply) => {
      const next = async (): Promise<unknown> => {
        if (path?.includes('audit')) return reply.write('id'.repeat(9999), next)
        if (path?.includes('prompts')) {
          await expect.poll(files).toHaveLength(1)
          for (const name of files()) rmSync(join(folder, name))
        }
        return reply.destroy()
      }
      reply.write('id', next)
    })
    const { url, close } = await listen(other)
    for (const to of [[], ['--output', file]])
      expect((await run(['export', 'runs', '--url', url, ...to])).err).toMatch(
        /^Error: The export .*\nWhy: .*\nWhat to do: .*\n$/,
      )
    expect(files()).toEqual([])
    const removed = await run(['export', 'prompts', '--url', url, '--output', file])
    expect(removed.err).toContain('What to do: Check that the service runs')
    const command = `${process.execPath} ${program} export audit --url ${url} | head -c 2`
    expect(await promisify(exec)(command)).toEqual({ stdout: 'id', stderr: '' })
    const write = `${process.execPath} ${program} export audit --url ${url} --output ${file}`
    const interrupt = `${write} & until ls ${file}.*; do :; done; kill $!; wait $!; echo $? $(ls ${file}*)`
    expect((await promisify(exec)(interrupt)).stdout).toMatch(/part\.csv\.\w+\.tmp\n143\n$/)
    await close()
  })

  it('ends without an error if the reader of its output has ended', async () => {
    const command = `${process.execPath} ${program} --help | true`
    expect(await promisify(exec)(command)).toEqual({ stdout: '', stderr: '' })
  })

  it('waits an hour for replies that need the whole store', async () => {
    const limits: unknown[] = []
    subscribe('http.client.request.start', (message) =>
      limits.push((message as { request: { timeout: unknown } }).request.timeout),
    )
    for (const args of ['backup list', 'audit verify', 'export audit'])
      await answerCommand(args.split(' '), { config, data })
    expect(limits).toEqual(Array(3).fill(3_600_000))
  })

  it('verifies the audit log of the running service', async () => {
    const ended = await run(['audit', 'verify', '--json'])
    expect(ended).toMatchObject({ code: 0 })
    expect(JSON.parse(ended.out)).toMatchObject({ ok: true, status: 'verified' })
  })

  // Ten processes, one after another.
  it('creates, lists and restores backups, and recovers and verifies a stopped store', {
    timeout: 60_000,
  }, async () => {
    const created = await run(['backup', 'create', '--json'])
    const { id } = JSON.parse(created.out)
    expect(await run(['backup', 'list'])).toMatchObject({ code: 0, out: expect.stringContaining(id) })
    const backup = join(data, 'backups', `${id}.sqlite`)
    const inUse = await run(['backup', 'restore', backup])
    expect(inUse).toMatchObject({
      code: 1,
      err: expect.stringMatching(/in use.*\nWhy: .*\nWhat to do: Stop/),
    })
    await service.stop()
    expect(await run(['audit', 'verify'])).toMatchObject({ code: 0, out: expect.stringContaining('intact') })
    expect(await run(['store', 'recover'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing to recover'),
    })
    expect(await run(['admin', 'recover', 'admin', '--password', '--second-factor'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Removed the second factor[\s\S]*Temporary password of admin: \S{20}\n/),
    })
    expect(await run(['backup', 'restore', backup])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Restored'),
    })
    expect(await run(['status'])).toMatchObject({ code: 1, err: expect.stringContaining('promptdeck start') })
    const seed = await run(['seed', '--runs', 'many'])
    expect(seed).toMatchObject({ code: 2, err: expect.stringContaining('--runs must be a whole number') })
    service = await spawnService({ DATA_DIR: data })
    expect(await run(['status'])).toMatchObject({ code: 0 })
  })
})
