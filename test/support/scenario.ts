import { once } from 'node:events'
import { expect } from 'vitest'
import WebSocket from 'ws'
import { framesSent } from './postgres/frames.ts'
import type { Answer, Call, TestServer } from './service.ts'

/** The complete expected effect of one request: reply, audit entries and announcements. */
export type Scenario = {
  readonly name: string
  /** `POST /api/users`; a function if it depends on the result of an earlier step. */
  readonly call: string | (() => string)
  readonly body?: unknown
  readonly raw?: string
  /** By default the service token (admin); null sends none. */
  readonly token?: () => string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** Members that the reply must contain; a problem code is `{ code }`. */
  readonly reply?: object
  /** The field paths of a 422, or of a 409 that names a field. */
  readonly fields?: readonly string[]
  /** Texts that must not occur in the reply. */
  readonly forbidden?: readonly string[]
  /** `actor action resource key`, in order. By default none. */
  readonly audit?: readonly string[]
  /** Entities whose `changed` frames consoles receive, in order. By default none. */
  readonly frames?: readonly string[]
}

/** Patterns that must never occur in a reply. */
const neverShown = [
  /\$2[aby]\$/,
  /password_hash/,
  /\bSQLITE|sqlite_|SELECT |INSERT INTO/,
  /\n {4}at /,
  /node_modules/,
]

export type Watcher = {
  /** Calls `act` and returns the audit entries and announcements that it caused. */
  during<T>(act: () => Promise<T>): Promise<{ result: T; audit: string[]; frames: string[] }>
  run(scenario: Scenario): Promise<void>
  close(): Promise<void>
}

/** Opens a console connection and a reader of the audit log. */
export async function watch(server: TestServer): Promise<Watcher> {
  const socket = await openSocket(server)
  const entities: string[] = []
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data))
    // Clients connect and disconnect independently; runs, and checks of providers (without an id), are
    // announced up to a quarter of a second later. Every other change was caused by the test.
    const isLater = frame.entity === 'run' || (frame.entity === 'provider' && frame.id === null)
    const isOwn = frame.type === 'changed' && frame.entity !== 'client' && !isLater
    if (isOwn) entities.push(frame.entity)
  })

  const entries = async (): Promise<{ id: number; text: string }[]> => {
    const reply = await server.call('GET /api/audit?limit=200&sort=-created_at')
    const rows: Record<string, unknown>[] = reply.body.data
    return rows.toReversed().map(({ id, actor, action, resource, key }) => ({
      id: Number(id),
      text: [actor, action, resource, ...(key === null ? [] : [key])].join(' '),
    }))
  }
  /** Waits for a pong: frames sent before the reply arrive before it. */
  const settled = async () => {
    await framesSent(server.url, server.config.serviceToken ?? '')
    const pong = once(socket, 'pong')
    socket.ping()
    await pong
  }

  const during: Watcher['during'] = async (act) => {
    await settled()
    entities.length = 0
    const last = (await entries()).at(-1)?.id ?? 0
    const result = await act()
    await settled()
    const added = (await entries()).filter((entry) => entry.id > last)
    return { result, audit: added.map((entry) => entry.text), frames: [...entities] }
  }

  return {
    during,
    run: (scenario) => runScenario(server, during, scenario),
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

/** Sends the request of a scenario and checks its complete effect. */
async function runScenario(server: TestServer, during: Watcher['during'], scenario: Scenario): Promise<void> {
  const options = optionsOf(scenario)
  const route = typeof scenario.call === 'string' ? scenario.call : scenario.call()
  const { result, audit, frames } = await during(() => server.call(route, options))
  expect({ status: result.status, body: result.body }).toMatchObject({
    status: scenario.status,
    ...(scenario.reply !== undefined && { body: scenario.reply }),
  })
  if (scenario.fields !== undefined) {
    expect(result.body.errors.map((error: { path: string }) => error.path)).toEqual(scenario.fields)
  }
  for (const text of scenario.forbidden ?? []) expect(result.text).not.toContain(text)
  for (const pattern of neverShown) expect(result.text).not.toMatch(pattern)
  expect(audit).toEqual(scenario.audit ?? [])
  expect(frames).toEqual(scenario.frames ?? [])
  if (result.status >= 400) expectProblem(route, result)
}

function optionsOf({ token, body, raw, headers }: Scenario): Call {
  return {
    ...(token !== undefined && { token: token() }),
    ...(body !== undefined && { body }),
    ...(raw !== undefined && { raw }),
    ...(headers !== undefined && { headers }),
  }
}

/** Checks that a reply is a problem document of the request `route`. */
function expectProblem(route: string, { status, headers, body }: Answer): void {
  expect(headers.get('content-type')).toContain('application/problem+json')
  expect(body).toMatchObject({
    type: `urn:problem:${body.code}`,
    status,
    instance: route.split(' ')[1]?.split('?')[0],
    error: body.detail,
    request_id: headers.get('x-request-id'),
  })
}

/** Opens a live connection and waits for its hello. By default with the service token. */
export async function openSocket(server: TestServer, token?: string): Promise<WebSocket> {
  const bearer = token ?? server.config.serviceToken ?? ''
  const url = `${server.url.replace(/^http/, 'ws')}/ws?client=browser&app=test&namespace=*`
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${bearer}` } })
  await once(socket, 'message')
  return socket
}

export async function closeCode(socket: WebSocket): Promise<number> {
  const [code] = await once(socket, 'close')
  return Number(code)
}

/**
 * Returns a clock that the test can advance. It also runs in real time, so that no two events have the same
 * timestamp.
 */
export function movableClock() {
  let aheadMs = 0
  return {
    clock: { now: () => new Date(Date.now() + aheadMs) },
    pass(ms: number): void {
      aheadMs += ms
    },
  }
}
