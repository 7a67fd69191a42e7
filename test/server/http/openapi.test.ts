import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { server, setUpService } from '../file-service.ts'
import { makePrompt } from '../prompts/prompts-support.ts'

type Operation = {
  readonly parameters: readonly object[]
  readonly requestBody?: { readonly required: boolean }
  readonly responses: Record<
    string,
    { readonly content?: Record<string, unknown>; readonly headers?: object }
  >
}

let document: { readonly paths: Record<string, Record<string, Operation>> }
setUpService(async () => {
  for (const key of ['one', 'two']) await makePrompt(server, { key, content: 'x' })
  document = (await server.call('GET /openapi.json', { token: null })).body
})

const operation = (what: string): Operation => {
  const [method = '', path = ''] = what.split(' ')
  const found = document.paths[path]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`${what} is not described`)
  return found
}
const typesOf = (what: string, status = '200') =>
  Object.keys(operation(what).responses[status]?.content ?? {})
const essence = (type: string | null) => type?.split(';')[0]

describe('openapi.json', () => {
  it('is an OpenAPI 3.1 document', async () => {
    const validator = new Validator()
    const result = await validator.validate({ ...document })
    expect(result.errors).toBeUndefined()
    expect({ valid: result.valid, version: validator.version }).toEqual({ valid: true, version: '3.1' })
  })

  it.each([
    ['/api/runs/export', 'format', ['csv', 'jsonl']],
    ['/api/audit/export', 'format', ['csv', 'jsonl']],
    ['/api/prompts/export', 'format', ['json', 'yaml', 'markdown', 'dotprompt', 'dotprompt&key=one']],
    ['/api/agents/export', 'format', ['json', 'yaml']],
    ['/api/workflows/export', 'format', ['json', 'yaml']],
  ])('describes every content type of %s, and no other', async (path, name, formats) => {
    const sent = new Set<string | undefined>()
    for (const format of formats) {
      const reply = await server.call(`GET ${path}?${name}=${format}`)
      expect(reply.status).toBe(200)
      sent.add(essence(reply.headers.get('content-type')))
    }
    expect(typesOf(`GET ${path}`).toSorted()).toEqual([...sent].toSorted())
  })

  it('describes bounds and defaults of numbers in a query, and which bodies may be absent', () => {
    const limit = { type: 'integer', minimum: 1, maximum: 200, description: '50 by default' }
    expect(operation('GET /api/users').parameters).toContainEqual(expect.objectContaining({ schema: limit }))
    expect(operation('POST /api/prompts/{id}/publish').requestBody?.required).toBe(false)
    expect(operation('POST /api/prompts').requestBody?.required).toBe(true)
  })

  it('describes the content type of a backup', async () => {
    const types = typesOf('GET /api/backups/{id}/download')
    expect(types).toEqual(['application/vnd.sqlite3'])
    // A database makes its backups itself.
    if (isOnPostgres) return
    const { id } = (await server.call('POST /api/backups')).body.data
    const reply = await server.call(`GET /api/backups/${id}/download`)
    expect(types).toEqual([essence(reply.headers.get('content-type'))])
  })

  it('describes 304 only where a read has an ETag', async () => {
    const prompt = await makePrompt(server, { key: 'openapi/etag', content: 'x' })
    const etag = (await server.call(`GET /api/prompts/${prompt.id}`)).headers.get('etag') ?? ''
    const again = await server.call(`GET /api/prompts/${prompt.id}`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const hasTag = responses['200']?.headers !== undefined && 'ETag' in responses['200'].headers
        expect({ path, method, described: '304' in responses }).toEqual({
          path,
          method,
          described: hasTag && method === 'get',
        })
      }
    }
    expect(operation('GET /api/prompts/{id}').responses['304']).not.toHaveProperty('content')
    expect(operation('GET /api/sdk/prompts/{key}').responses).toHaveProperty('304')
  })

  it('describes If-Match where an outdated one is 412, and only there', () => {
    for (const { parameters = [], responses } of Object.values(document.paths).flatMap(Object.values))
      expect(JSON.stringify(parameters).includes('"If-Match"')).toBe('412' in responses)
  })

  it('describes the content of JSON and YAML exports', async () => {
    const schema = { type: 'object' }
    for (const noun of ['prompts', 'agents', 'workflows']) {
      const content = operation(`GET /api/${noun}/export`).responses['200']?.content
      expect(content).toMatchObject({ 'application/json': { schema }, 'application/yaml': { schema } })
    }
  })

  it.each([
    [414, `/api/audit/export?q=${'x'.repeat(20_000)}`, {}],
    [431, '/api/audit/export', { 'x-long': 'x'.repeat(20_000) }],
    [414, `/health?q=${'x'.repeat(20_000)}`, {}],
  ])('describes %i, with which the parser replies before routing', async (status, path, headers) => {
    const reply = await server.call(`GET ${path}`, { headers })
    expect(reply.status).toBe(status)
    expect(essence(reply.headers.get('content-type'))).toBe('application/problem+json')
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods))
        expect(Object.keys(responses[String(status)]?.content ?? {})).toEqual(['application/problem+json'])
  })

  it('describes the events of a stream', async () => {
    const reply = await server.call('POST /api/playground/run', {
      body: { content: 'Hi', provider: 'mock', stream: true },
    })
    const [event = ''] = reply.text.split('\n\n')
    const sent = event.split('\n').map((line) => line.split(':', 1)[0])
    const content = operation('POST /api/playground/run').responses['200']?.content
    expect(content?.['text/event-stream']).toMatchObject({ schema: { type: 'object', required: sent } })
  })

  it('describes routes outside of /api', async () => {
    for (const path of ['/health', '/ready', '/metrics', '/openapi.json']) {
      const reply = await server.call(`GET ${path}`, { token: null })
      expect(typesOf(`GET ${path}`, String(reply.status))).toEqual([
        essence(reply.headers.get('content-type')),
      ])
    }
    const remote = { headers: { 'x-forwarded-for': '192.0.2.1' } }
    const viewer = await server.signedIn('viewer')
    for (const [token, status] of [
      [null, 401],
      [viewer.token, 403],
    ] as const) {
      const reply = await server.call('GET /metrics', { ...remote, token })
      expect(reply.status).toBe(status)
      expect(typesOf('GET /metrics', String(status))).toEqual(['application/problem+json'])
    }
    expect(operation('GET /health').responses['200']).toMatchObject({
      content: {
        'application/json': {
          schema: {
            properties: {
              status: { enum: ['ok', 'disk_full', 'store_full', 'store_unavailable'] },
              reason: { type: 'string' },
              deletion: { type: 'object' },
            },
          },
        },
      },
    })
    expect(Object.keys(operation('GET /health').responses)).toEqual([
      '200',
      '400',
      '408',
      '414',
      '421',
      '431',
      '503',
    ])
  })
})
