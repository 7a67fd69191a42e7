import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { postgresServer } from './postgres-support.ts'

const server = postgresServer()
const folders: string[] = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-keys-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const secret = 'a secret that every instance of the test has'
const keysOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith('.key'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

/** Starts an instance on a new data folder, uses it, and stops it. Returns its folder. */
async function instance(
  env: Readonly<Record<string, string>>,
  use: (service: TestServer) => Promise<void> = async () => {},
  dataDir = newFolder(),
): Promise<string> {
  const service = await startTestServer({ dataDir, env })
  try {
    await use(service)
  } finally {
    await service.stop()
  }
  return dataDir
}

it('KEYS_SECRET: the first instance stores sealed keys, the next ones have the same', async () => {
  const url = await server.newDatabase()
  const env = { DATABASE_URL: url, KEYS_SECRET: secret }
  let session = ''
  const first = await instance(env, async (service) => {
    session = (await service.signedIn('viewer')).token
    const reply = await service.call('PUT /api/providers/openai', { body: { api_key: 'sk-test-0123456789' } })
    expect(reply.status, reply.text).toBe(200)
  })
  const keys = keysOf(join(first, 'keys'))
  expect(Object.keys(keys).sort()).toEqual(
    expect.arrayContaining(['audit.key', 'end-users.key', 'jwt.key', 'providers.key']),
  )
  const rows = await server.run<{ name: string; sealed: string }>(url, 'SELECT name, sealed FROM shared_keys')
  expect(rows.map(({ name }) => name).sort()).toEqual(expect.arrayContaining(['audit.key', 'jwt.key']))
  for (const line of Object.values(keys)) expect(JSON.stringify(rows)).not.toContain(line.slice(0, 64))

  const second = await instance(env, async (service) => {
    expect((await service.call('GET /api/me', { token: session })).status).toBe(200)
    expect((await service.call('GET /api/audit/verify')).body.data).toMatchObject({ status: 'verified' })
    const { data } = (await service.call('GET /api/providers')).body
    expect(data.find(({ name }: { name: string }) => name === 'openai')).toMatchObject({ has_key: true })
  })
  expect(keysOf(join(second, 'keys'))).toEqual(keys)

  await expect(instance({ ...env, KEYS_SECRET: `${secret}!` })).rejects.toThrow(
    /keys in the database cannot be opened: KEYS_SECRET is not the secret.*UPDATE shared_keys SET sealed = NULL/,
  )
  await expect(instance({ DATABASE_URL: '' }, undefined, first)).rejects.toThrow(/set DATABASE_URL/)
  await server.run(url, 'UPDATE shared_keys SET sealed = NULL')
  await instance({ ...env, KEYS_SECRET: `${secret}!` }, undefined, first)
  env.KEYS_SECRET += '!'
  expect(keysOf(join(await instance(env), 'keys'))).toEqual(keys)
  writeFileSync(join(second, 'keys', 'jwt.key'), readFileSync(join(second, 'keys', 'audit.key')))
  await expect(instance(env, undefined, second)).rejects.toThrow(
    /jwt\.key in .* differs from the one in the database/,
  )
})

it('KEYS_DIR: instances share a folder of keys, and one without it is refused', async () => {
  const url = await server.newDatabase()
  const env = { DATABASE_URL: url, KEYS_DIR: join(newFolder(), 'shared') }
  const first = await instance(env)
  const keys = keysOf(join(first, 'keys'))
  expect(keysOf(env.KEYS_DIR)).toEqual(keys)
  expect(keysOf(join(await instance(env), 'keys'))).toEqual(keys)
  const empty = newFolder()
  const otherDir = join(newFolder(), 'shared')
  for (const other of [{}, { KEYS_DIR: otherDir }, { KEYS_SECRET: secret }])
    await expect(instance({ DATABASE_URL: url, ...other }, undefined, empty)).rejects.toThrow(
      /The key jwt\.key in .* is missing\. Give every instance the same keys/,
    )
  const standby = `${url}${url.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only%3Don`
  await expect(instance({ DATABASE_URL: standby }, undefined, empty)).rejects.toThrow('it is a standby')
  // Keys that it created would be refused at the next start, and those in a shared folder at other instances too.
  for (const folder of [join(empty, 'keys'), otherDir])
    expect(existsSync(folder) ? Object.keys(keysOf(folder)) : []).toEqual([])
  const wrong = newFolder()
  cpSync(env.KEYS_DIR, join(wrong, 'keys'), { recursive: true })
  writeFileSync(join(wrong, 'keys', 'jwt.key'), keys['audit.key'] ?? '')
  await expect(instance({ DATABASE_URL: url, KEYS_DIR: otherDir }, undefined, wrong)).rejects.toThrow(
    /The key jwt\.key in .* is not the one of the other instances of this database/,
  )
  expect(existsSync(otherDir)).toBe(false)
  // A copy of the keys is as good.
  const copied = newFolder()
  cpSync(env.KEYS_DIR, join(copied, 'keys'), { recursive: true })
  await instance({ DATABASE_URL: url }, undefined, copied)
})
