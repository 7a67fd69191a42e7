import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { movableClock } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

const day = 86_400_000
const time = movableClock()
let server: TestServer

const chrome = (version: number, system: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`
const linux = 'X11; Linux x86_64'

beforeAll(async () => {
  // The proxy of a test gives requests another address.
  server = await startTestServer({
    substitutes: { clock: time.clock },
    env: { TRUSTED_PROXIES: '127.0.0.1' },
  })
})
afterAll(() => server.close())

const login = async (
  user: { username: string; password: string },
  userAgent: string,
  address: string,
): Promise<string> => {
  const { username, password } = user
  const reply = await server.call('POST /api/login', {
    token: null,
    body: { username, password },
    headers: { 'user-agent': userAgent, 'x-forwarded-for': address },
  })
  return reply.body.token
}
type Row = {
  ip: string
  user_agent: string
  count: number
  is_new: boolean
  current: boolean
  method: string
}
const places = async (token: string): Promise<Row[]> =>
  (await server.call('GET /api/me/sign-ins', { token })).body.data
const newUser = async (name: string) => {
  const user = { username: name, password: `a phrase of ${name} 1` }
  await server.call('POST /api/users', { body: { ...user, role: 'viewer' } })
  return user
}

describe('sign-ins', () => {
  it('are counted by device and address; the first one is not new', async () => {
    const edda = await newUser('edda')
    await login(edda, chrome(130, linux), '203.0.113.5')
    const token = await login(edda, chrome(131, linux), '203.0.113.5')
    expect(await places(token)).toMatchObject([
      { ip: '203.0.113.5', count: 2, is_new: false, current: true, method: 'password' },
    ])
  })

  it('from another device or address are new for a week', async () => {
    const ada = await newUser('ada')
    const first = await login(ada, chrome(130, linux), '203.0.113.5')
    await login(ada, chrome(130, 'Windows NT 10.0'), '203.0.113.5')
    await login(ada, chrome(130, linux), '198.51.100.7')
    const rows = await places(first)
    expect(rows.map(({ ip, is_new, current }) => ({ ip, is_new, current }))).toEqual([
      { ip: '198.51.100.7', is_new: true, current: false },
      { ip: '203.0.113.5', is_new: true, current: false },
      { ip: '203.0.113.5', is_new: false, current: true },
    ])
    time.pass(7 * day)
    const later = await login(ada, chrome(130, linux), '203.0.113.5')
    expect((await places(later)).some(({ is_new }) => is_new)).toBe(false)
  })

  it('from one IPv6 network are one', async () => {
    const bea = await newUser('bea')
    await login(bea, 'curl/8', '2001:db8::1')
    const token = await login(bea, 'curl/8', '2001:db8::2')
    expect(await places(token)).toMatchObject([{ ip: '2001:db8::2', count: 2 }])
  })

  it('of other users are not shown, and at most 50 places are kept', async () => {
    const cai = await newUser('cai')
    let token = ''
    for (let host = 1; host <= 55; host += 1) token = await login(cai, 'curl/8', `203.0.113.${host}`)
    const rows = await places(token)
    expect(rows).toHaveLength(50)
    expect(rows[0]?.ip).toBe('203.0.113.55')
    expect(rows.at(-1)?.ip).toBe('203.0.113.6')
  })

  it('that fail are not counted', async () => {
    const dan = await newUser('dan')
    const token = await login(dan, 'curl/8', '203.0.113.200')
    await login({ ...dan, password: 'wrong' }, 'curl/8', '203.0.113.201')
    expect(await places(token)).toHaveLength(1)
  })
})
