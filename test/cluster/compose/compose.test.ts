import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Peer } from '../../server/live/live-support.ts'
import { type Cluster, startCluster } from '../../support/postgres/cluster.ts'
import { type ServiceProcess, spawnService } from '../../support/process.ts'
import { freePort, startBalancer } from './balancer.ts'
import { environmentOf, readCompose } from './compose-file.ts'

const names = ['one', 'two'] as const
const serviceToken = 'a-service-token-of-the-compose-file-0123456789'
const sdk = '/ws?client=node-sdk&app=shop&namespace=prod'

let database: Cluster
let root: string
let instances: ServiceProcess[]
let stopBalancer: () => Promise<void>
let url: string
const peers: Peer[] = []

beforeAll(async () => {
  // As in the compose file, whose database is durable.
  database = await startCluster({ synchronous_commit: 'on' })
  root = await mkdtemp(join(tmpdir(), 'promptdeck-compose-'))
  url = `http://localhost:${await freePort()}`
  const file = readCompose({
    POSTGRES_PASSWORD: 'secret',
    KEYS_SECRET: 'a secret of the keys of all instances',
    SERVICE_TOKEN: serviceToken,
    PUBLIC_URL: url,
  })
  // Both at once on an empty database, as Compose starts them.
  instances = await Promise.all(
    names.map((name) =>
      spawnService(
        {
          ...environmentOf(file, name),
          DATABASE_URL: database.urlOf('postgres'),
          DATA_DIR: join(root, name),
          PORT: '0',
        },
        { isFirstStart: true },
      ),
    ),
  )
  const hosts = instances.map((instance) => new URL(instance.url).host)
  stopBalancer = await startBalancer({ ...environmentOf(file, 'balancer'), INSTANCES: hosts.join(' ') })
})
afterAll(async () => {
  for (const { socket } of peers) socket.terminate()
  await stopBalancer?.()
  for (const { child, kill } of instances ?? [])
    if (child.exitCode === null && child.signalCode === null) await kill()
  await database?.close()
  await rm(root, { recursive: true, force: true })
})

/** Sends a request through the balancer. */
async function call(what: string, body?: unknown, token = serviceToken) {
  const [method = 'GET', path = '/'] = what.split(' ', 2)
  const request = {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
  let reply = await fetch(url + path, request)
  // 502: the balancer has not detected yet that the instance was killed. Clients repeat the request.
  for (let repeats = 0; reply.status === 502 && repeats < 1000; repeats += 1)
    reply = await fetch(url + path, request)
  const text = await reply.text()
  return { status: reply.status, body: text === '' ? null : JSON.parse(text) }
}

/** Opens a live connection and waits for its hello. */
async function open(origin: string, since?: number): Promise<Peer> {
  const peer = await connect(origin.replace('http', 'ws') + sdk, { authorization: `Bearer ${serviceToken}` })
  peers.push(peer)
  peer.send({ type: 'hello', ...(since !== undefined && { since_seq: since }) })
  await peer.next()
  return peer
}

async function publish(token: string, id: string, content: string): Promise<void> {
  expect((await call(`PATCH /api/prompts/${id}`, { content }, token)).status).toBe(200)
  expect((await call(`POST /api/prompts/${id}/publish`, {}, token)).status).toBe(200)
}

const signIn = async (): Promise<string> => {
  const reply = await call('POST /api/login', { username: 'admin', password: 'admin' })
  expect(reply.status).toBe(200)
  return reply.body.token
}

/** Returns the exit code of the health check of a container. */
const healthOf = (instance: ServiceProcess): Promise<number | null> =>
  new Promise((resolve) => {
    const check = fileURLToPath(new URL('../../../deploy/ready.mjs', import.meta.url))
    const env = { PORT: new URL(instance.url).port }
    const child = execFile(process.execPath, [check], { env }, () => resolve(child.exitCode))
  })

const at = (index: number): ServiceProcess => {
  const found = instances[index]
  if (found === undefined) throw new Error(`there is no instance ${index}`)
  return found
}

describe('the processes of compose.yaml', () => {
  it('serve as one: a prompt published through the balancer reaches the sockets of both instances', async () => {
    expect(await Promise.all(instances.map(healthOf))).toEqual([0, 0])
    const token = await signIn()
    const sockets = await Promise.all([open(at(0).url), open(at(1).url), open(url)])
    const created = await call('POST /api/prompts', { key: 'shared', env: 'prod', content: 'one' }, token)
    expect(created.status).toBe(201)
    await publish(token, created.body.data.id, 'two')
    for (const socket of sockets) {
      expect(await socket.next()).toMatchObject({ type: 'prompt.created', key: 'shared' })
      expect(await socket.next()).toMatchObject({ type: 'prompt.published', key: 'shared', version: 'v2' })
    }
  })

  it('continue when one is killed: requests, the session, and a client that connects again', async () => {
    const token = await signIn()
    const created = await call('POST /api/prompts', { key: 'kept', env: 'prod', content: 'one' }, token)
    const before = await open(at(0).url)
    await publish(token, created.body.data.id, 'two')
    const { seq } = await before.next()
    await at(0).kill()
    await before.closed
    expect(await healthOf(at(0))).toBe(1)
    // More requests than instances, so that the balancer would send some of them to the one that ended.
    for (const version of ['v3', 'v4', 'v5']) await publish(token, created.body.data.id, version)
    const after = await open(url, seq)
    const versions = (await after.take(3)).map((frame) => frame.version)
    expect(versions).toEqual(['v3', 'v4', 'v5'])
    expect((await call('GET /api/audit/verify', undefined, token)).body.data).toMatchObject({ ok: true })
  })
})
