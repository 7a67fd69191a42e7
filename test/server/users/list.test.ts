import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { phrase } from './users-support.ts'

const names = (reply: { body: { data: { username: string }[] } }) =>
  reply.body.data.map((user) => user.username)

describe('the list', () => {
  let full: TestServer
  beforeAll(async () => {
    full = await startTestServer()
    for (let n = 0; n < 25; n += 1) {
      const role = n % 5 === 0 ? 'editor' : 'viewer'
      const username = `user.${String.fromCharCode(97 + n)}-${n % 2 ? 'blue' : 'Red'}`
      await full.call('POST /api/users', {
        body: { username, password: phrase, role, disabled: n % 10 === 3 },
      })
    }
    await full.login('admin', 'admin')
  })
  afterAll(() => full.close())
  const get = (query: string) => full.call(`GET /api/users?${query}`)

  it.each([
    ['everybody', '', 26],
    ['a role', 'role=editor', 5],
    ['one of two roles', 'role=editor&role=admin', 6],
    ['disabled users', 'disabled=true', 3],
    ['active users', 'disabled=false', 23],
    ['the beginning of a name', 'q=use', 25],
    ['the beginning of a later word', 'q=blu', 12],
    ['the beginning of a word after a dot', 'q=c', 1],
    ['a word in another case', 'q=RED', 13],
    ['two words', 'q=user%20blue', 12],
    ['a word and a role', 'q=red&role=editor', 3],
    ['nobody', 'q=nobody', 0],
    ['a percent sign, which is not a pattern', 'q=%25', 0],
    ['the middle of a word, which does not match', 'q=lue', 0],
  ])('counts %s', async (_, query, total) => {
    const reply = await get(query)
    expect(reply.body.total).toBe(total)
    expect(reply.body.data).toHaveLength(total)
    expect(reply.body).not.toHaveProperty('total_capped')
  })

  it.each([
    ['username', 'admin'],
    ['-username', 'user.y-Red'],
    ['created_at', 'admin'],
    ['-created_at', 'user.y-Red'],
    ['-last_login_at', 'admin'],
  ])('sorts by %s', async (sort, first) => {
    expect(names(await get(`sort=${sort}`))[0]).toBe(first)
  })

  it.each(['username', '-username', 'created_at', '-created_at', 'last_login_at', '-last_login_at'])(
    'pages by cursor in the order of %s, each user once',
    async (sort) => {
      const all = names(await get(`sort=${sort}&limit=200`))
      const listed: string[] = []
      let cursor: string | null = ''
      for (let page = 0; cursor !== null && page < 20; page += 1) {
        const reply = await get(`sort=${sort}&limit=7${cursor && `&cursor=${cursor}`}`)
        expect(reply.body.total).toBe(26)
        listed.push(...names(reply))
        cursor = reply.body.next_cursor
      }
      expect(listed).toEqual(all)
    },
  )

  it('keeps its position while users are added before it', async () => {
    const first = await get('sort=username&limit=10')
    await full.call('POST /api/users', { body: { username: 'aaa', password: phrase, role: 'viewer' } })
    const second = await get(`sort=username&limit=10&cursor=${first.body.next_cursor}`)
    expect(names(second).some((name) => names(first).includes(name))).toBe(false)
  })

  it('accepts an offset', async () => {
    const all = names(await get('limit=200'))
    expect(names(await get('limit=5&offset=10'))).toEqual(all.slice(10, 15))
    expect(names(await get('limit=5&offset=10000'))).toEqual([])
  })

  it.each([
    ['limit=0', 'query.limit'],
    ['limit=201', 'query.limit'],
    ['limit=x', 'query.limit'],
    ['offset=10001', 'query.offset'],
    ['offset=-1', 'query.offset'],
    ['sort=password_hash', 'query.sort'],
    ['role=owner', 'query.role'],
    ['disabled=1', 'query.disabled'],
    ['q=%20', 'query.q'],
    ['page=2', 'query.page'],
    ['sort=username&sort=created_at', 'query.sort'],
    ['cursor=rubbish', 'query.cursor'],
    [`cursor=${Buffer.from('{"sort":"username"}').toString('base64url')}`, 'query.cursor'],
    [
      `cursor=${Buffer.from('{"sort":"username","filters":"","after":[1]}').toString('base64url')}`,
      'query.cursor',
    ],
    ...['0.5', '1e300', '9007199254740992'].map((number) => [
      `sort=created_at&cursor=${Buffer.from(`{"sort":"created_at","filters":"","after":[${number},"a"]}`).toString('base64url')}`,
      'query.cursor',
    ]),
    [
      `cursor=${Buffer.from('{"sort":"username","filters":"","after":["a"]}').toString('base64url')}&offset=1`,
      'query.offset',
    ],
  ])('refuses %s', async (query, path) => {
    const reply = await get(query)
    expect(reply.status).toBe(422)
    expect(reply.body.errors[0].path).toBe(path)
  })

  it('refuses a cursor of another order or other filters', async () => {
    const { next_cursor: cursor } = (await get('limit=2')).body
    expect((await get(`limit=3&cursor=${cursor}`)).status).toBe(200)
    for (const query of ['sort=-username', 'role=viewer', 'q=user']) {
      const reply = await get(`${query}&limit=2&cursor=${cursor}`)
      expect(reply.status).toBe(422)
      expect(reply.body.errors[0].path).toBe('query.cursor')
    }
  })

  it('is available to admins only', async () => {
    const viewer = await full.signedIn('viewer')
    const reply = await full.call('GET /api/users', { token: viewer.token })
    expect(reply.status).toBe(403)
    expect(reply.body).toMatchObject({ code: 'auth.forbidden', required_role: 'admin' })
  })
})
