import { describe, expect, it } from 'vitest'
import { restart, server, setUpService } from './mcp-service.ts'
import { createToken } from './mcp-support.ts'

setUpService()

describe('a session', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  }
  const raw = (body: unknown, headers: Record<string, string> = {}, token?: string) =>
    server.call('POST /mcp', { body, headers, ...(token !== undefined && { token }) })
  const sessionOf = async (token?: string) =>
    (await raw(initialize, {}, token)).headers.get('mcp-session-id') ?? ''
  const list = { jsonrpc: '2.0', id: 'a', method: 'prompts/list' }

  it('survives a restart, and is valid for its principal only', async () => {
    const session = { 'mcp-session-id': await sessionOf() }
    await restart()
    const reply = await raw(list, session)
    expect(reply).toMatchObject({ status: 200 })
    expect(reply.text).toContain('billing/greet')
    const { token } = await createToken(server, { role: 'admin' })
    expect(await raw(list, session, token)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await raw(list, { 'mcp-session-id': `${session['mcp-session-id']}x` })).toMatchObject({
      status: 404,
    })
    expect(await raw(list)).toMatchObject({ status: 400, body: { code: 'request.malformed' } })
  })

  it.each([
    ['its token', { role: 'viewer' }, (id: string) => `DELETE /api/tokens/${id}`],
    ['the workspace of its token', { workspace: 'brief' }, () => 'DELETE /api/workspaces/brief'],
  ])('ends with %s: requests are refused and the stream is closed', async (_, rights, end) => {
    await server.call('POST /api/workspaces', { body: { name: 'Brief', slug: 'brief' } })
    const { id, token } = await createToken(server, rights)
    const session = { 'mcp-session-id': await sessionOf(token) }
    const stream = await fetch(`${server.url}/mcp`, {
      headers: { authorization: `Bearer ${token}`, ...session, accept: 'text/event-stream' },
    })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const reader = stream.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toContain('list_changed')
    expect((await server.call(end(id))).status).toBe(200)
    // Resolves at the end of the stream.
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read());
    expect(await raw(list, session, token)).toMatchObject({ status: 401 })
    expect((await server.call('GET /api/tokens?limit=200')).text).not.toContain(id)
  })

  /** Sends a tool call that takes a minute. Returns the text of the reply when it has ended. */
  const runSlowly = async (token: string, sessionId: string): Promise<string> => {
    const args = { content: 'slow', params: { mock: { first_token_ms: 60_000 } } }
    const params = { name: 'run_prompt', arguments: args }
    const body = { jsonrpc: '2.0', id: 'slow', method: 'tools/call', params }
    return (await raw(body, { 'mcp-session-id': sessionId }, token)).text
  }
  const cancelledRuns = async (): Promise<number> =>
    (await server.call('GET /api/runs?error_type=cancelled')).body.total

  it('cancels a request, and with the end of its token also a model call', async () => {
    const { id, token } = await createToken(server, { role: 'viewer' })
    const sessionId = await sessionOf(token)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } }
    const ends = [
      () => raw(cancel, { 'mcp-session-id': sessionId }, token),
      () => server.call(`DELETE /api/tokens/${id}`),
    ]
    for (const [index, end] of ends.entries()) {
      const running = runSlowly(token, sessionId)
      await expect
        .poll(async () => (await server.call('GET /metrics')).text)
        .toMatch(/^promptdeck_provider_calls 1$/m)
      expect((await end()).status).toBeLessThan(300)
      // The reply ends without a result.
      expect(await running).toBe('')
      await expect.poll(cancelledRuns).toBe(index + 1)
    }
  })

  it('rejects what is no message: batches, wrong types, deep or large bodies', async () => {
    const session = { 'mcp-session-id': await sessionOf() }
    const refused = async (body: unknown, status: number) =>
      expect(await raw(body, session), JSON.stringify(body).slice(0, 100)).toMatchObject({ status })
    await refused([list, list], 422)
    await refused({ ...list, jsonrpc: '1.0' }, 422)
    await refused({ ...list, id: null }, 422)
    await refused({ ...list, id: 1.5 }, 422)
    await refused({ ...list, id: 'x'.repeat(300) }, 422)
    await refused({ ...list, unknown_member: 1 }, 400)
    await refused({ ...list, params: 'text' }, 400)
    await refused({ ...list, params: { cursor: 'x'.repeat(2 ** 20) } }, 413)
    const deep = JSON.parse(`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`)
    await refused({ ...list, params: deep }, 422)
    expect((await raw(list, { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    expect((await raw({ ...list, method: 'tools/unknown' }, session)).text).toContain('-32601')
    expect((await raw({ jsonrpc: '2.0', method: 'notifications/unknown' }, session)).status).toBe(202)
    expect((await server.call('DELETE /mcp', { headers: session })).headers.get('allow')).toContain('POST')
    expect((await raw(list, { ...session, origin: 'https://evil.example' })).status).toBe(403)
  })
})
