import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { connect, type Peer, refused } from './live-support.ts'

setUpService()

const url = () => `${server.url.replace('http', 'ws')}/ws`
const join = async (token: string, query = ''): Promise<Peer> => {
  const peer = await connect(`${url()}${query}`, { authorization: `Bearer ${token}` })
  await peer.next()
  return peer
}

describe('with the whole service', () => {
  it('a console gets a mutation once it is on disk, and nothing else', async () => {
    const { token } = await server.signedIn('admin')
    const peer = await join(token, '?namespace=*')
    const changes = () => peer.frames.slice(1).filter((frame) => frame.entity !== 'client')
    const { id } = (await server.call('POST /api/workspaces', { body: { name: 'Heard' } })).body.data
    await expect.poll(() => changes().length).toBe(2)
    const failed = await server.call('POST /api/workspaces', { body: { name: 'Heard', slug: 'heard' } })
    expect(failed.status).toBe(409)
    await server.call('GET /api/workspaces')
    // Frames arrive in order, so nothing was sent between the first mutation and this one.
    const { id: later } = (await server.call('POST /api/workspaces', { body: { name: 'Later' } })).body.data
    await expect.poll(() => changes().length).toBe(4)
    const [first, second, third] = changes()
    expect(third).toMatchObject({ entity: 'workspace', id: later })
    expect(first).toMatchObject({ type: 'changed', entity: 'workspace', id })
    expect(second).toMatchObject({ type: 'changed', entity: 'audit', seq: first.seq + 1 })
    peer.socket.close()
  })

  it('numbers increase over a restart, and missed frames are replayed', async () => {
    const { token } = await server.signedIn('admin')
    const peer = await join(token, '?namespace=*')
    const { seq } = peer.frames[0]
    const closed = peer.closed
    await server.restart()
    expect(await closed).toMatchObject({ code: 1001 })
    await server.call('POST /api/workspaces', { body: { name: 'Missed' } })
    const again = await connect(`${url()}?namespace=*&since_seq=${seq}`, { authorization: `Bearer ${token}` })
    const [hello, first] = await again.take(2)
    expect(hello.seq).toBe(seq)
    expect(first).toMatchObject({ type: 'changed', entity: 'workspace' })
    expect(first.seq).toBeGreaterThan(seq)
    again.socket.close()
  })

  it('the socket of a user who must choose a new password is closed with 4401', async () => {
    const user = await server.signedIn('viewer')
    const peer = await join(user.token)
    const change = { body: { must_change_password: true } }
    expect((await server.call(`PATCH /api/users/${user.id}`, change)).status).toBe(200)
    expect(await peer.closed).toMatchObject({ code: 4401 })
  })

  it('the socket of a user with a new, lower role stays open', async () => {
    const user = await server.signedIn('editor')
    const peer = await join(user.token, '?namespace=*')
    await server.call(`PATCH /api/users/${user.id}`, { body: { role: 'viewer' } })
    const { id } = (await server.call('POST /api/workspaces', { body: { name: 'Still there' } })).body.data
    await expect.poll(() => peer.frames.some((frame) => frame.id === id)).toBe(true)
    expect(peer.socket.readyState).toBe(peer.socket.OPEN)
    peer.socket.close()
  })

  it.each([
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['a request for another host', { host: 'evil.example' }, 421],
  ])('%s gets no socket', async (_, headers, status) => {
    const { token } = await server.signedIn('viewer')
    const attempt = connect(url(), {
      authorization: `Bearer ${token}`,
      ...(headers as Record<string, string>),
    })
    expect(await refused(attempt)).toMatchObject({ status })
  })

  it('a token in the URL does not occur in the list of clients', async () => {
    const { token } = await server.signedIn('viewer')
    const peer = await connect(`${url()}?token=${token}&client=node-sdk&namespace=prod&app=x`)
    expect(await peer.next()).toMatchObject({ type: 'hello' })
    const { text } = await server.call('GET /api/clients')
    expect(text).not.toContain(token)
    peer.socket.close()
  })
})
