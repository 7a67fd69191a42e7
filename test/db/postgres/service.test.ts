import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from '../../support/postgres/cluster.ts'
import { runOnServer } from '../../support/postgres/server.ts'
import { runTool } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

let cluster: Cluster
let server: TestServer
beforeAll(async () => {
  cluster = await startCluster({ synchronous_commit: 'on' })
  server = await startTestServer({ env: { DATABASE_URL: cluster.urlOf('postgres') } })
})
afterAll(async () => {
  await server.close()
  await cluster.close()
})

const isReady = async () => (await server.call('GET /ready', { token: null })).status === 200

describe('a service whose database stops', () => {
  it('refuses requests with 503 store.unavailable, stays alive, and continues when the database is back', async () => {
    const created = await server.call('POST /api/prompts', {
      body: { key: 'greet', env: 'dev', content: 'Hi' },
    })
    expect(created.status).toBe(201)
    expect(await server.call('GET /ready', { token: null })).toMatchObject({
      status: 200,
      body: { ready: true },
    })
    await cluster.kill()
    // The first one uses a broken connection, the second one cannot connect.
    for (const call of ['GET /api/prompts', 'POST /api/prompts']) {
      const body = call.startsWith('POST') ? { key: 'more', env: 'dev', content: 'Hi' } : undefined
      const reply = await server.call(call, { ...(body && { body }) })
      expect([reply.status, reply.body.code]).toEqual([503, 'store.unavailable'])
      expect(reply.headers.get('retry-after')).toBe('1')
      expect(reply.text).not.toMatch(/ECONN|promptdeck-pg-|socket/)
    }
    expect(await server.call('GET /ready', { token: null })).toMatchObject({
      status: 503,
      body: { ready: false, reason: expect.stringContaining('does not answer') },
    })
    expect((await server.call('GET /health', { token: null })).status).toBe(200)
    await cluster.start()
    await expect.poll(isReady).toBe(true)
    const keys = (await server.call('GET /api/prompts')).body.data.map(({ key }: { key: string }) => key)
    expect(keys).toEqual(['greet'])
    expect(
      (await server.call('POST /api/prompts', { body: { key: 'more', env: 'dev', content: 'Hi' } })).status,
    ).toBe(201)
  })

  it('repeats a request with an Idempotency-Key only if the first one had no effect', async () => {
    const run = (sql: string) => runOnServer(cluster.urlOf('postgres'), sql)
    await run(`CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'`)
    for (const [name, triggers, repeated] of [
      // The connection ends within COMMIT.
      ['unknown', ['CONSTRAINT TRIGGER x AFTER INSERT ON workspaces DEFERRABLE INITIALLY DEFERRED'], 409],
      ['no', ['TRIGGER x AFTER INSERT ON workspaces', 'TRIGGER x AFTER DELETE ON idempotency_keys'], 201],
    ] as const) {
      const post = () =>
        server.call('POST /api/workspaces', { body: { name }, headers: { 'idempotency-key': name } })
      for (const trigger of triggers) await run(`CREATE ${trigger} FOR EACH ROW EXECUTE FUNCTION stop()`)
      expect((await post()).status).toBe(503)
      for (const table of ['workspaces', 'idempotency_keys'])
        await run(`DROP TRIGGER IF EXISTS x ON ${table}`)
      expect((await post()).status, name).toBe(repeated)
    }
  })

  it('has an audit log that the tool verifies while the service is stopped', async () => {
    const env = { DATA_DIR: server.dataDir, DATABASE_URL: cluster.urlOf('postgres') }
    const run = async (name: string, ...args: string[]) => {
      const { stdout, stderr } = await runTool(name, args, env)
      return stdout + stderr
    }
    expect(await run('audit-verify')).toContain('A service is using')
    await server.stop()
    expect(await run('audit-verify')).toMatch(/The audit log is intact: \d+ entries verified/)
    const missing = join(server.dataDir, 'missing')
    expect(await run('audit-verify', missing)).toContain(`No Promptdeck data found in ${missing}`)
    expect(await run('restore', 'backup.sqlite')).toContain(
      'DATABASE_URL is set, so the data is in PostgreSQL.',
    )
    await server.restart()
  })

  it('does not start with the data folder of another database, or without DATABASE_URL', async () => {
    await server.stop()
    await runOnServer(cluster.urlOf('postgres'), 'CREATE DATABASE empty')
    await expect(server.restart({ DATABASE_URL: cluster.urlOf('empty') })).rejects.toThrow(
      /ends with entry 0, but audit-head\.json in .* proves that entry \d+ was written.*Correct DATABASE_URL/,
    )
    await expect(server.restart({ DATABASE_URL: '' })).rejects.toThrow(/audit-head\.json proves/)
    await server.restart()
    expect(await isReady()).toBe(true)
  })

  it('has backups of its own: 409 with the reason', async () => {
    const reply = await server.call('POST /api/backups')
    expect([reply.status, reply.body.code]).toEqual([409, 'backup.unsupported'])
    expect(reply.body.detail).toContain('PostgreSQL')
  })
})
