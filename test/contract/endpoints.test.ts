import { describe, expect, it } from 'vitest'
import { ApiError, createClient, pathOf, queryString } from '../../contract/client.ts'
import { hasRole, type Permission, permissionsOf, workspacePermissions } from '../../contract/common/roles.ts'
import { endpoints } from '../../contract/index.ts'

/** POST routes that act on existing objects. */
const actionPath =
  /(approve|refuse|options|confirm|remove|check|redeem|login|logout|revoke-sessions|publish|rollback|promote|restore|push|import|run|test|validate|cancel|resume|count-tokens|mcp)$/

describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, endpoint) => {
    it('has examples that its own schemas accept', () => {
      expect(endpoint.reply.safeParse(endpoint.example.reply)).toMatchObject({ success: true })
      if (endpoint.body)
        expect(endpoint.body.safeParse(endpoint.example.body)).toMatchObject({ success: true })
      if (endpoint.example.query) {
        const query = Object.fromEntries(new URLSearchParams(endpoint.example.query))
        expect(endpoint.query?.safeParse(query)).toMatchObject({ success: true })
      }
    })
    it('refuses unknown members', () => {
      const [query, body] = [
        endpoint.query?.safeParse({ unknown_member: 'x' }),
        endpoint.body?.safeParse({ unknown_member: 'x' }),
      ]
      expect(query?.success ?? false).toBe(false)
      expect(body?.success ?? false).toBe(false)
    })
    it('replies 201 only to creations', () => {
      const creates = endpoint.method === 'POST' && !actionPath.test(endpoint.path)
      // A pairing request is accepted with 202. An admin decides about it later.
      const isAccepted = endpoint.path === '/api/pair'
      expect(endpoint.status ?? 200).toBe(creates ? (isAccepted ? 202 : 201) : 200)
    })
  },
)

describe('the source of the workspace', () => {
  /** Routes that concern no workspace and require a permission that a role in a workspace also grants. */
  const ofEverybody = ['GET /api/playground/providers', 'POST /api/prompts/count-tokens']

  it.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    'of %s fits its permission and its path',
    (name, { path, permission, workspaces }) => {
      const isWorkspacePermission = workspacePermissions.has(permission as Permission)
      const isOfWorkspace = workspaces !== 'none' && workspaces !== 'all'
      expect(isOfWorkspace || ofEverybody.includes(name)).toBe(isWorkspacePermission)
      if (isOfWorkspace && path.includes(':id')) expect(workspaces).toBe('item')
    },
  )
})

describe('roles', () => {
  it.each([
    ['viewer', 'viewer', true],
    ['viewer', 'editor', false],
    ['editor', 'viewer', true],
    ['editor', 'admin', false],
    ['admin', 'admin', true],
    ['admin', 'viewer', true],
  ] as const)('%s counts as %s: %s', (role, required, expected) => {
    expect(hasRole(role, required)).toBe(expected)
  })
  it('include the permissions of lesser roles, and more', () => {
    const [viewer, editor, admin] = [permissionsOf('viewer'), permissionsOf('editor'), permissionsOf('admin')]
    expect(editor).toEqual(expect.arrayContaining(viewer))
    expect(admin).toEqual(expect.arrayContaining(editor))
    expect(viewer).not.toContain('workspaces.create')
    expect(permissionsOf('viewer', { 'workspaces.create': 'viewer' })).toContain('workspaces.create')
  })
})

describe('the client', () => {
  const clientWithReply = (response: () => Response | Promise<Response>) => {
    const requests: { url: string; init: RequestInit }[] = []
    let unauthorized = 0
    const client = createClient({
      baseUrl: 'http://deck',
      token: () => 'tok',
      onUnauthorized: () => {
        unauthorized++
      },
      fetch: async (url, init) => {
        requests.push({ url: String(url), init: init ?? {} })
        return response()
      },
    })
    return { client, requests, unauthorized: () => unauthorized }
  }

  it('fills paths and queries: encoded, repeated, without missing values', () => {
    expect(pathOf({ path: '/api/users/:id' }, { id: 'a/b c' })).toBe('/api/users/a%2Fb%20c')
    expect(
      queryString({ provider: ['a', 'b'], q: 'x y', from: new Date(0), none: undefined, nil: null }),
    ).toBe('?provider=a&provider=b&q=x+y&from=1970-01-01T00%3A00%3A00.000Z')
    expect(queryString({})).toBe('')
  })
  it('sends the token and the body, and returns the reply', async () => {
    const { client, requests } = clientWithReply(() => Response.json({ data: { id: 'u1' } }))
    const reply = await client.users.update({ params: { id: 'u1' }, body: { role: 'editor' } })
    expect(reply).toEqual({ data: { id: 'u1' } })
    expect(requests[0]).toMatchObject({
      url: 'http://deck/api/users/u1',
      init: { method: 'PATCH', body: '{"role":"editor"}', headers: { authorization: 'Bearer tok' } },
    })
  })
  it('throws the problem that the service replied with', async () => {
    const problem = {
      type: 'urn:problem:user.last_admin',
      title: 't',
      status: 409,
      detail: 'd',
      instance: '/',
      code: 'user.last_admin',
      request_id: 'r',
      error: 'd',
    }
    const { client } = clientWithReply(() => Response.json(problem, { status: 409 }))
    const error = await client.users.remove({ params: { id: 'u1' } }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 409, message: 'd', problem: { code: 'user.last_admin' } })
  })
  it('throws for a reply without a problem and for no reply, and reports an ended session', async () => {
    const invalid = clientWithReply(() => new Response('<html>', { status: 502 }))
    await expect(invalid.client.auth.me({})).rejects.toMatchObject({ status: 502, problem: null })
    const unreachable = clientWithReply(() => Promise.reject(new TypeError('fetch failed')))
    await expect(unreachable.client.auth.me({})).rejects.toMatchObject({
      status: 0,
      message: 'The service cannot be reached',
    })
    const expired = clientWithReply(() => new Response('', { status: 401 }))
    await expect(expired.client.auth.me({})).rejects.toMatchObject({ status: 401 })
    expect(expired.unauthorized()).toBe(1)
  })
})
