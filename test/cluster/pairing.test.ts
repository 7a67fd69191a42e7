import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  answer,
  app,
  asked,
  askWith,
  openWindow,
  password,
  stateOf,
} from '../server/pairing/pairing-support.ts'
import { type LanServer, startLanServer } from '../support/lan/listener.ts'
import { type Cluster, startCluster } from '../support/postgres/cluster.ts'
import { runOnServer } from '../support/postgres/server.ts'
import { movableClock } from '../support/scenario.ts'
import type { Answer } from '../support/service.ts'
import { instanceEnv } from './instances.ts'

const minute = 60_000
const time = movableClock()
let database: Cluster
const servers: LanServer[] = []

/** Starts an instance that shares the service on the network, with a certificate of its own. */
const startInstance = (isFurtherInstance: boolean): Promise<LanServer> =>
  startLanServer({
    env: instanceEnv(database),
    substitutes: { clock: time.clock },
    hasOwnCertificate: true,
    isFurtherInstance,
  })

beforeAll(async () => {
  database = await startCluster()
  for (const index of [0, 1, 2]) servers.push(await startInstance(index > 0))
})
afterAll(async () => {
  for (const server of servers) await server.close()
  await database.close()
})

function on(index: number): LanServer {
  const server = servers[index]
  if (server === undefined) throw new Error(`there is no instance ${index}`)
  return server
}

const outcome = ({ status, body }: Answer) => ({ status, code: body.code })
const wrong = { status: 401, code: 'pairing.wrong_code' }
const statuses = (replies: readonly Answer[]) => replies.map(({ status }) => status).toSorted((a, b) => a - b)

/** Returns the audit entries of a key, the oldest first. */
async function entriesOf(key: string): Promise<readonly string[]> {
  const { body } = await on(2).call('GET /api/audit?resource=pairing&limit=200&sort=-created_at')
  const rows: readonly { key: string | null; summary: string }[] = body.data
  return rows
    .filter((row) => row.key === key)
    .map(({ summary }) => summary)
    .toReversed()
}

describe('a pairing window that an instance opened', () => {
  it('accepts a request at another one, which a third one completes for a device that waits', async () => {
    const { code } = await openWindow(on(0), { role: 'editor' })
    const request = await askWith(on(1), { code }, { name: 'Tablet', username: 'tablet' })
    expect(request.status, request.text).toBe(202)
    // The device compares these with the certificate of the instance that it reached.
    expect(request.body.words).toEqual(on(1).identity.words)
    const listed = await on(2).call('GET /api/pairing/requests')
    expect(listed.body.data[0]).toMatchObject({
      name: 'Tablet',
      status: 'pending',
      words: on(1).identity.words,
      opened_by: 'service-token',
    })
    const waiting = stateOf(on(0), request.body, 25)
    const approved = await answer(on(2), request.body.request_id, 'approve')
    expect(approved.status, approved.text).toBe(200)
    const { body: state } = await waiting
    expect(state).toMatchObject({ status: 'approved', user: { username: 'tablet', role: 'editor' } })
    // Each instance has the tokens until the time of the request is over.
    expect((await stateOf(on(1), request.body)).body).toEqual(state)
    const me = await on(1).lan('GET /api/me', { token: state.token })
    expect(me.body).toMatchObject({ username: 'tablet', auth: 'session' })
    expect(await entriesOf('Tablet')).toEqual([
      'Tablet (browser) asked to be paired for the new user tablet',
      'Approved the pairing of Tablet (browser) for the new user tablet',
    ])
  })

  it('is the one window of its admin on all instances', async () => {
    const first = await openWindow(on(0), { role: 'viewer' })
    const second = await openWindow(on(1), { role: 'viewer' })
    expect((await on(2).call('GET /api/pairing')).body.data).toMatchObject({ id: second.id, state: 'open' })
    expect(outcome(await askWith(on(2), { code: first.code }))).toEqual(wrong)
    expect((await on(2).call('DELETE /api/pairing')).status).toBe(200)
    expect(outcome(await askWith(on(0), { code: second.code }))).toEqual(wrong)
  })

  it('admits one of several requests at the same moment, and its code works once', async () => {
    const { code } = await openWindow(on(0))
    const replies = await Promise.all(
      [0, 1, 2].map((index) =>
        askWith(
          on(index),
          { code },
          { name: `Racer ${index}`, username: `racer-${index}` },
          `127.0.10.${index}`,
        ),
      ),
    )
    expect(statuses(replies)).toEqual([202, 401, 401])
    expect(outcome(await askWith(on(1), { code }, {}, '127.0.10.9'))).toEqual(wrong)
    const replays = (await entriesOf('service-token')).filter(
      (summary) => summary === 'Refused a pairing code that was already used',
    )
    expect(replays).toHaveLength(3)
    const accepted = replies.find(({ status }) => status === 202)
    await answer(on(2), accepted?.body.request_id, 'refuse')
  })

  it('ends after ten wrong codes in all, at the same moment too', async () => {
    const { code } = await openWindow(on(0))
    const guesses = await Promise.all(
      Array.from({ length: 9 }, (_, guess) =>
        askWith(on(guess % 3), { code: '22222222' }, {}, `127.0.11.${guess}`),
      ),
    )
    expect(statuses(guesses)).toEqual(Array(9).fill(401))
    expect((await on(1).call('GET /api/pairing')).body.data).toMatchObject({ state: 'open', wrong_codes: 9 })
    await askWith(on(2), { code: '33333333' }, {}, '127.0.11.20')
    expect((await on(0).call('GET /api/pairing')).body.data).toMatchObject({ state: 'guessed' })
    expect(outcome(await askWith(on(1), { code }, {}, '127.0.11.21'))).toEqual(wrong)
    const ends = (await entriesOf('service-token')).filter((summary) =>
      summary.includes('too many wrong codes'),
    )
    expect(ends).toHaveLength(1)
  })

  it('delays an address after wrong codes at any instances', async () => {
    await on(0).call('DELETE /api/pairing')
    const replies: Answer[] = []
    for (const index of [0, 1, 2, 0, 1, 2])
      replies.push(await askWith(on(index), { code: '44444444' }, {}, '127.0.12.1'))
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('expires once, which is recorded once', async () => {
    const expired = async () =>
      (await entriesOf('service-token')).filter((summary) => /^The pairing window .* expired$/.test(summary))
        .length
    const { code } = await openWindow(on(0))
    const before = await expired()
    time.pass(5 * minute)
    const states = await Promise.all([0, 1, 2].map((index) => on(index).call('GET /api/pairing')))
    for (const { body } of states) expect(body.data).toMatchObject({ state: 'expired' })
    expect(outcome(await askWith(on(1), { code }, {}, '127.0.13.1'))).toEqual(wrong)
    expect((await expired()) - before).toBe(1)
  })
})

describe('a pairing request', () => {
  it('is answered once, by one of several admins on different instances', async () => {
    const request = await asked(on(0), { username: 'once-only', name: 'Once only' })
    const replies = await Promise.all([
      answer(on(0), request.request_id, 'approve'),
      answer(on(1), request.request_id, 'approve'),
      answer(on(2), request.request_id, 'refuse'),
    ])
    expect(statuses(replies)).toEqual([200, 409, 409])
    const answers = (await entriesOf('Once only')).filter((summary) => !summary.includes('asked'))
    expect(answers).toHaveLength(1)
  })

  it('expires for a device that waits at another instance, and its tokens with it', async () => {
    const late = await asked(on(0), { username: 'too-late', name: 'Too late' })
    const request = await asked(on(0), app('sdk', 'short-lived'))
    expect((await answer(on(1), request.request_id, 'approve')).status).toBe(200)
    expect((await stateOf(on(2), request)).body.token).toMatch(/^pd_api_/)
    const waiting = stateOf(on(1), late, 25)
    time.pass(5 * minute)
    expect((await stateOf(on(2), request)).body).toEqual({ status: 'approved' })
    expect((await waiting).body).toEqual({ status: 'expired' })
    expect(outcome(await answer(on(0), late.request_id, 'approve'))).toEqual({
      status: 409,
      code: 'pairing.ended',
    })
    expect(await entriesOf('Too late')).toEqual([
      'Too late (browser) asked to be paired for the new user too-late',
      'The pairing request of Too late (browser) expired without an answer',
    ])
  })

  it('and a window survive the instance that has them', async () => {
    const gone = await startInstance(true)
    const request = await asked(gone, { username: 'survivor', name: 'Survivor' })
    const { code } = await openWindow(gone)
    await gone.close()
    expect((await answer(on(1), request.request_id, 'approve')).status).toBe(200)
    expect((await stateOf(on(2), request)).body).toMatchObject({ status: 'approved' })
    const next = await askWith(on(0), { code }, { name: 'Next', username: 'next-one' }, '127.0.14.1')
    expect(next.status).toBe(202)
    await answer(on(2), next.body.request_id, 'refuse')
  })

  it('has no secret in the database in clear', async () => {
    const { code, secret } = await openWindow(on(0))
    const { body: request } = await askWith(
      on(1),
      { secret },
      { name: 'Sealed', username: 'sealed' },
      '127.0.15.1',
    )
    await answer(on(2), request.request_id, 'approve')
    const { body: admitted } = await stateOf(on(0), request)
    const rows = await runOnServer<{ value: string }>(
      database.urlOf('postgres'),
      `SELECT value FROM shared_values WHERE scope = 'pairing'`,
    )
    expect(rows.length).toBeGreaterThan(0)
    const hidden = [
      code,
      secret,
      request.request_secret,
      admitted.token,
      admitted.device_token,
      password,
      'sealed',
    ]
    for (const { value } of rows) for (const text of hidden) expect(value).not.toContain(text)
  })
})
