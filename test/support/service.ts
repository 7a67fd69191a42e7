import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiClient, createClient } from '../../contract/client.ts'
import type { Config } from '../../server/config.ts'
import { readConfig } from '../../server/config.ts'
import { type RunningServer, type Substitutes, startServer } from '../../server/index.ts'
import { copyEmptyStore } from './empty-store/copy.ts'
import { dropDatabase, engineVariables } from './postgres/databases.ts'

export const serviceToken = 'test-service-token-0123456789abcdef'

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON body; undefined if it is not JSON. */
  readonly body: ReturnType<typeof JSON.parse>
}

export type Call = {
  readonly token?: string | null
  readonly body?: unknown
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type TestServer = {
  readonly url: string
  readonly dataDir: string
  readonly config: Config
  /** Returns the console's typed API client, by default with the service token (admin). */
  client(token?: string | null): ApiClient
  /**
   * Sends one plain request: `call('GET /api/users?role=viewer', { token })`; by default with the service
   * token.
   */
  call(what: string, options?: Call): Promise<Answer>
  /** Signs in and returns the session token. */
  login(username: string, password: string): Promise<string>
  /** Creates a user with that role and signs in. */
  signedIn(
    role: 'viewer' | 'editor' | 'admin',
    username?: string,
  ): Promise<{ id: string; username: string; password: string; token: string }>
  /** Stops the service and starts it on the same data. */
  restart(env?: Readonly<Record<string, string>>): Promise<void>
  stop(): Promise<void>
  close(): Promise<void>
}

export type TestServerOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly substitutes?: Substitutes
  readonly dataDir?: string
}

/**
 * Returns the substitutes of tests. Only hashing is cheaper, and a stop leaves the transactions in the journal instead
 * of also writing a snapshot, which takes longer than many tests. Small segments of the journal are preallocated faster.
 */
const substitutesOf = ({ store, ...replaced }: Substitutes): Substitutes => ({
  passwordCost: 4,
  store: { snapshotAtClose: false, ...store, tuning: { segmentBytes: 1024 * 1024, ...store?.tuning } },
  // No test listens on a real interface.
  network: { addresses: () => [], hostName: () => 'test', watch: () => () => {} },
  multicast: () => {
    throw new Error('no test sends to a real network; pass a substitute')
  },
  ...replaced,
})

/** Returns a new data folder. Its store has the released schema, so that the service does not start with migrations. */
async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-test-'))
  await copyEmptyStore(join(dataDir, 'store'))
  return dataDir
}

/** Starts the real service on a free port and a new folder, on the engine of the test run (`TEST_ENGINE`). */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await newDataDir())
  const base = {
    PORT: '0',
    DATA_DIR: dataDir,
    SERVICE_TOKEN: serviceToken,
    LOG_LEVEL: 'silent',
    // The collector marks the whole heap when 64 MB outside of it are allocated, as the buffer of a store is.
    MAX_STORE_MB: '16',
    // Tests of the checks turn them on, with a timer of their own.
    PROVIDER_CHECK_MINUTES: '0',
    ...(await engineVariables(dataDir)),
  }
  let config = readConfig({ ...base, ...options.env })
  const substitutes = substitutesOf(options.substitutes ?? {})
  let running: RunningServer | null = await startServer(config, substitutes)
  let url = running.url
  let users = 0

  const call = (what: string, given?: Call): Promise<Answer> => send(url, what, given)

  const login = async (username: string, password: string): Promise<string> => {
    const reply = await call('POST /api/login', { token: null, body: { username, password } })
    if (reply.status !== 200)
      throw new Error(`sign-in of ${username} answered ${reply.status}: ${reply.text}`)
    return reply.body.token
  }

  const stop = async () => {
    await running?.close()
    // A test file is kept until its process ends, and a service contains its whole database.
    running = null
  }

  return {
    get url() {
      return url
    },
    dataDir,
    get config() {
      return config
    },
    client: (token = serviceToken) => createClient({ baseUrl: url, token: () => token }),
    call,
    login,
    async signedIn(role, username = `${role}-${++users}`) {
      const password = `a phrase of ${username} 1`
      const reply = await call('POST /api/users', { body: { username, password, role } })
      if (reply.status !== 201) throw new Error(`adding ${username} answered ${reply.status}: ${reply.text}`)
      return { id: reply.body.data.id, username, password, token: await login(username, password) }
    },
    async restart(env = {}) {
      await stop()
      config = readConfig({ ...base, ...options.env, ...env })
      running = await startServer(config, substitutes)
      url = running.url
    },
    stop,
    async close() {
      await stop()
      if (options.dataDir !== undefined) return
      await rm(dataDir, { recursive: true, force: true })
      await dropDatabase(dataDir)
    },
  }
}

async function send(
  url: string,
  what: string,
  { token = serviceToken, body, raw, headers }: Call = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = what.split(' ', 2)
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? safeJson(text) : undefined,
  }
}

function safeJson(text: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
