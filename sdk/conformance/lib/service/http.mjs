import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { Problem } from './problem.mjs'
import { readRuns } from './run-report.mjs'

/** Maximum size of a request body. */
const maxBodyBytes = 1024 * 1024
const minCompressedBytes = 1400

/** CORS headers of the service for pages of an allowed origin. */
export function corsHeaders(origin) {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
    'access-control-allow-headers':
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Promptdeck-Instance',
    'access-control-expose-headers': 'ETag, Retry-After, X-Request-Id',
    'access-control-max-age': '600',
  }
}

/** Reads the body as bytes; of one that is too large, the rest is discarded. */
export async function readBytes(req) {
  const chunks = []
  let length = 0
  for await (const chunk of req) {
    length += chunk.length
    if (length <= maxBodyBytes) chunks.push(chunk)
  }
  return { bytes: Buffer.concat(chunks), isTooLarge: length > maxBodyBytes }
}

/** Compresses `text` like the service: if the client accepts gzip and the text is long enough. */
export function encoded(req, text) {
  const acceptsGzip = /\bgzip\b/.test(req.headers['accept-encoding'] ?? '')
  if (!acceptsGzip || Buffer.byteLength(text) <= minCompressedBytes)
    return { headers: {}, bytes: Buffer.from(text) }
  return { headers: { 'content-encoding': 'gzip' }, bytes: gzipSync(text) }
}

/** Handles requests like the real service, from a state `{prompts, tokens, pageLimit, store(run)}`. */
export function createRoutes(state) {
  const authorize = (entry) => {
    const [, token] = /^Bearer (.+)$/i.exec(entry.headers.authorization ?? '') ?? []
    if (token === undefined) throw new Problem('auth.required')
    if (!state.tokens.has(token))
      throw new Problem('auth.invalid_token', 'The token is unknown, expired or revoked. Sign in again.')
  }

  const scopeOf = ({ query }, allowed) => {
    const unknown = Object.keys(query).find((name) => !['env', 'workspace', ...allowed].includes(name))
    if (unknown !== undefined) throw invalid(`query.${unknown}`, 'Unknown parameter')
    const { env = 'prod', workspace = 'default' } = query
    if (!['dev', 'test', 'prod'].includes(env)) throw invalid('query.env', 'Expected dev, test or prod')
    return { env, workspace }
  }

  const onePrompt = (entry, key) => {
    const scope = scopeOf(entry, [])
    const prompt = state.prompts.get({ ...scope, key })
    if (prompt === null) throw new Problem('not_found', `No version of ${key} is served in ${scope.env}.`)
    return tagged(entry, prompt.etag, prompt)
  }

  const allPrompts = (entry) => {
    const { limit: requestedLimit = '1000', cursor } = entry.query
    const limit = Math.min(Number(requestedLimit), state.pageLimit)
    if (!/^\d+$/.test(requestedLimit) || limit < 1 || Number(requestedLimit) > 1000)
      throw invalid('query.limit', 'Expected 1 to 1000')
    const list = state.prompts.list(scopeOf(entry, ['limit', 'cursor']))
    const after = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString()
    const rest = after === null ? list : list.filter(({ key }) => key > after)
    const data = rest.slice(0, limit)
    const last = rest.length > limit ? data.at(-1).key : null
    const next = last === null ? null : Buffer.from(last).toString('base64url')
    const tag = hash('sha256', JSON.stringify(data), 'base64url')
    return tagged(entry, `"${tag}"`, { data, total: list.length, next_cursor: next })
  }

  const reportRuns = (entry) => {
    const type = (entry.headers['content-type'] ?? '').split(';', 1)[0].trim().toLowerCase()
    if (type !== 'application/json')
      throw new Problem('request.unsupported_media_type', 'Send the body as application/json.')
    if (entry.isTooLarge) throw new Problem('request.too_large', 'A request body can have at most 1 MiB.')
    if (entry.body === undefined) throw new Problem('request.malformed', 'The body is not JSON in UTF-8.')
    const { runs, errors } = readRuns(entry.body)
    if (errors) throw rejected(errors)
    const data = runs.map((run) => ({ id: state.store(run) }))
    return json(201, { data: Array.isArray(entry.body) ? data : data[0] })
  }

  return (entry) => {
    authorize(entry)
    const [, key] = /^\/api\/sdk\/prompts\/([^/]+)$/.exec(entry.path) ?? []
    const route = key === undefined ? entry.path : '/api/sdk/prompts/:key'
    const methods = { '/api/sdk/prompts': 'GET', '/api/sdk/prompts/:key': 'GET', '/api/runs': 'POST' }
    const method = methods[route]
    if (method === undefined) throw new Problem('not_found', 'Route not found.')
    if (method !== entry.method) throw new Problem('method_not_allowed', undefined, {}, [method])
    if (route === '/api/runs') return reportRuns(entry)
    return key === undefined ? allPrompts(entry) : onePrompt(entry, decodeURIComponent(key))
  }
}

const invalid = (path, message) => rejected([{ path, message }])

function rejected(errors) {
  const [{ path, message }] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new Problem('request.invalid', `${path === '' ? '' : `${path}: `}${message}${more}`, { errors })
}

const json = (status, value) => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
})

function tagged(entry, etag, value) {
  const headers = { etag, 'cache-control': 'private, no-cache' }
  const known = (entry.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) return { status: 304, headers, body: null }
  const reply = json(200, value)
  return { ...reply, headers: { ...reply.headers, ...headers } }
}
