/**
 * `together.mjs [--down <seconds>]`: one client of each language against the real service. Checks that a
 * publish reaches all four, and that the service lists and counts them. Then stops the service for a while,
 * restarts it and publishes two prompts: all four clients must run them, and no run reported meanwhile may be
 * lost or counted twice. Ends with one JSON line. A missing toolchain is a failure.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from './adapters/build-js.mjs'
import { sleep } from './lib/waiting.mjs'

const languages = ['js', 'browser', 'python', 'java']
const typeOf = { js: 'node-sdk', browser: 'browser', python: 'python-sdk', java: 'java-sdk' }
const serviceToken = 'together-service-token-0123456789abcdef'
const timings = { retry_min_ms: 200, retry_max_ms: 2000, report_ms: 100 }
/** Number of runs that each client reports while the service is down. */
const reports = 25
const giveUpMs = 60_000

const log = (text) => process.stdout.write(`${text}\n`)

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** The built service, on the same port at each start. */
function createService({ port, dataDir, origins }) {
  let child = null
  return {
    async start() {
      child = spawn(process.execPath, [join(root, 'dist/bundle/service/cli.js')], {
        env: {
          ...process.env,
          PORT: String(port),
          DATA_DIR: dataDir,
          SERVICE_TOKEN: serviceToken,
          ALLOWED_ORIGINS: origins.join(','),
          LOG_LEVEL: 'error',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await new Promise((resolve, reject) => {
        createInterface({ input: child.stdout }).on(
          'line',
          (line) => line.startsWith('listening on ') && resolve(),
        )
        child.once('exit', (code, signal) => reject(new Error(`the service ended with ${signal ?? code}`)))
      })
    },
    async stop() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Polls until the result is as wanted; fails with the last one. */
async function eventually(read, isWanted, what) {
  const giveUpAt = Date.now() + giveUpMs
  for (;;) {
    const found = await read()
    if (isWanted(found)) return found
    assert.ok(Date.now() < giveUpAt, `${what}; last seen: ${JSON.stringify(found)}`)
    await sleep(100)
  }
}

/** Creates functions that call the service as its administrator, and check the reply. */
function createApi(server) {
  const call = async (method, path, body) => {
    const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' }
    const reply = await fetch(server + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    assert.ok(reply.ok, `${method} ${path} answered ${reply.status}`)
    return reply.json()
  }
  return {
    call,
    create: async (path, body) => (await call('POST', path, body)).data,
    async publish(id, content) {
      await call('PATCH', `/api/prompts/${id}`, { content })
      return (await call('POST', `/api/prompts/${id}/publish`, {})).data.version
    },
    converged: (id, version) =>
      eventually(
        async () => (await call('GET', `/api/prompts/${id}/convergence`)).data,
        (convergence) =>
          convergence.version === version &&
          convergence.total === languages.length &&
          convergence.current === languages.length,
        `all run ${version}`,
      ),
    countRuns: async () => (await call('GET', '/api/runs?ref_key=greet&limit=1')).total,
  }
}

/** Creates functions that use the clients of all languages at once. */
function createClients(adapters) {
  const all = (work) => Promise.all(languages.map((language) => work(adapters.get(language), language)))
  const updates = new Map(languages.map((language) => [language, []]))
  return {
    all,
    /** The updates that each client emitted: key and version. */
    updates,
    connect: (server, token) =>
      all((adapter, language) => {
        adapter.on(
          'event',
          ({ event, data }) =>
            event === 'update' && updates.get(language).push(`${data.key} ${data.version}`),
        )
        return adapter.request('new', {
          client: 'a',
          options: { server, token, app_name: `${language}-app`, cache_dir: null, timings },
        })
      }),
    render: (key, text) =>
      all(async (adapter) => {
        assert.equal(await adapter.request('render', { client: 'a', key, variables: { who: 'you' } }), text)
      }),
  }
}

async function together(server, downMs, { service, adapters }) {
  const api = createApi(server)
  const clients = createClients(adapters)
  await service.start()
  const greet = (await api.create('/api/prompts', { key: 'greet', env: 'prod', content: 'Hi {{who}}' })).id
  const bye = (await api.create('/api/prompts', { key: 'bye', env: 'prod', content: 'Bye {{who}}' })).id
  const { token } = await api.create('/api/tokens', { name: 'together', namespaces: ['prod'] })
  await clients.connect(server, token)
  await clients.render('greet', 'Hi you')
  await clients.render('bye', 'Bye you')
  await clients.all((adapter) => adapter.request('watch', { client: 'a' }))
  await checkListed(api)
  log('listed with their types, apps, namespaces and addresses')

  const second = await api.publish(greet, 'Hello {{who}}')
  await api.converged(greet, second)
  await clients.render('greet', 'Hello you')
  log(`a publish reached ${languages.length} of ${languages.length}`)

  await service.stop()
  await reportRuns(clients)
  await sleep(downMs)
  await clients.render('greet', 'Hello you')
  await service.start()
  const third = await api.publish(greet, 'Good day {{who}}')
  const other = await api.publish(bye, 'So long {{who}}')
  await Promise.all([api.converged(greet, third), api.converged(bye, other)])
  await clients.render('greet', 'Good day you')
  await clients.render('bye', 'So long you')
  log(`after ${downMs / 1000} s without the service, all run both publishes`)

  await checkRuns(api, clients)
  const expected = [`bye ${other}`, `greet ${second}`, `greet ${third}`]
  for (const language of languages)
    assert.deepEqual([...new Set(clients.updates.get(language))].sort(), expected)
  log('no run was lost or counted twice')
  await service.stop()
}

async function checkListed(api) {
  const listed = await eventually(
    async () => (await api.call('GET', '/api/clients')).data,
    (clients) => clients.length === languages.length,
    'four clients are listed',
  )
  for (const language of languages) {
    const client = listed.find(({ app }) => app === `${language}-app`)
    assert.deepEqual(
      [client?.client_type, client?.namespace, client?.remote_addr, client?.sdk_outdated, client?.missing],
      [typeOf[language], 'prod', '127.0.0.1', false, []],
    )
  }
}

async function reportRuns(clients) {
  await clients.all(async (adapter, language) => {
    for (let n = 0; n < reports; n += 1) {
      const run = {
        provider: 'mock',
        model: 'm',
        latency_ms: n,
        status: 'ok',
        ref_key: 'greet',
        client_run_id: `${language}-${n}`,
      }
      await adapter.request('report_run', { client: 'a', run })
    }
  })
}

/** Checks that each reported run is stored once, also after the clients were closed. */
async function checkRuns(api, clients) {
  await eventually(
    api.countRuns,
    (total) => total === reports * languages.length,
    'each reported run is in the log once',
  )
  assert.deepEqual(
    await clients.all((adapter) => adapter.request('close', { client: 'a' })),
    languages.map(() => 0),
  )
  assert.equal(await api.countRuns(), reports * languages.length)
}

const at = process.argv.indexOf('--down')
const downMs = (at === -1 ? 5 : Number(process.argv[at + 1])) * 1000
const dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-together-'))
const adapters = new Map()
let service = null
try {
  for (const language of languages) {
    const { start } = await import(`./adapters/${language}.mjs`)
    adapters.set(language, await start())
  }
  const port = await freePort()
  const origins = [...adapters.values()].flatMap(({ origin }) => origin ?? [])
  service = createService({ port, dataDir, origins })
  await together(`http://127.0.0.1:${port}`, downMs, { adapters, service })
  log(JSON.stringify({ together: { passed: 1, failed: 0 } }))
} catch (error) {
  log(`FAILED ${error.stack}`)
  log(JSON.stringify({ together: { passed: 0, failed: 1 } }))
  process.exitCode = 1
} finally {
  for (const adapter of adapters.values()) await adapter.stop()
  await service?.stop()
  await rm(dataDir, { recursive: true, force: true })
}
