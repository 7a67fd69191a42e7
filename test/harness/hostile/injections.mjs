// @ts-check
import { endpoints } from '../../../dist/contract/index.js'
import { request, token } from '../lib/process.mjs'
import { corpus, oddValues } from './corpus.mjs'

/** Excluded: these end the session of the attack, or the attack itself. */
const excluded = new Set([
  'POST /api/logout',
  'PUT /api/me/password',
  'POST /api/settings/service-token',
  'POST /api/backups',
])
/** Fields that must be unique; they get a number unless they are under attack. */
const uniqueFields = ['key', 'username', 'name', 'slug', 'client_run_id']

/** @param {any} value @param {(string | number)[]} at @returns {(string | number)[][]} */
function pathsOf(value, at = []) {
  if (typeof value !== 'object' || value === null) return [at]
  return [
    ...(at.length > 0 ? [at] : []),
    ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...at, name])),
  ]
}

/** @param {any} base @param {(string | number)[]} path @param {unknown} value @param {number} number */
function bodyWith(base, path, value, number) {
  const body = structuredClone(base)
  for (const name of uniqueFields)
    if (typeof body[name] === 'string' && path[0] !== name) body[name] = `${name}-${number}`
  const last = path.at(-1) ?? ''
  const holder = path.slice(0, -1).reduce((inner, name) => inner?.[name], body)
  if (holder !== undefined && holder !== null)
    Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true })
  return body
}

/** Replaces lone surrogates by U+FFFD. @param {string} text */
const wellFormed = (text) => text.replace(/\p{Cs}/gu, '\ufffd')

/**
 * Returns the forms in which the service may store a text: trimmed, in normalization form C, lone surrogates
 * replaced (SQLite cannot store them). In reports of runs, which are never refused for their texts, NUL is
 * replaced as well.
 * @param {string} text @param {boolean} isReport
 */
const forms = (text, isReport) =>
  [text, text.trim(), text.normalize('NFC'), text.trim().normalize('NFC')].flatMap((form) => [
    form,
    isReport ? wellFormed(form).replaceAll('\0', '\ufffd') : wellFormed(form),
  ])

/** @param {import('./fixture.mjs').Fixture} fixture @returns {Promise<Record<string, string>>} */
async function prepare(fixture) {
  const ids = /** @type {Record<string, string>} */ ({})
  const make = async (/** @type {string} */ noun, /** @type {object} */ body) => {
    const reply = await request(fixture.url, `POST /api/${noun}`, body)
    ids[noun] = reply.body.data?.id ?? ''
  }
  await make('prompts', { key: 'base', content: 'Hi {{name}}', env: 'prod' })
  await make('agents', { key: 'base', content: 'Hi {{name}}' })
  await make('workflows', { key: 'base', steps: [{ name: 'a', type: 'render', template: 'Hi' }] })
  await make('workspaces', { name: 'Base' })
  await make('users', { username: 'base', password: 'a phrase of base 1', role: 'viewer' })
  return ids
}

/** @typedef {() => Promise<unknown>} Job */

/**
 * Sends every text of the corpus in every field of every body, and in every query parameter.
 * @param {import('./fixture.mjs').Fixture} fixture
 * @param {{ shard: number, shards: number, sample: number, seed: number }} options
 */
export async function injections(fixture, { shard, shards, sample, seed }) {
  const ids = await prepare(fixture)
  let number = 0
  const nextNumber = () => {
    number += 1
    return number
  }
  const jobs = endpoints.flatMap((endpoint) => jobsOf(fixture, endpoint, ids, nextNumber))
  const ownJobs = jobs.filter((_, at) => at % shards === shard - 1)
  const step = sample === 0 ? 1 : Math.max(1, Math.floor(ownJobs.length / sample))
  const chosen = ownJobs.filter((_, at) => (at + seed) % step === 0)
  const queue = chosen.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const job of queue) await job()
    }),
  )
}

/** @typedef {(typeof endpoints)[number]} Endpoint */

/**
 * Returns the requests of one endpoint.
 * @param {import('./fixture.mjs').Fixture} fixture @param {Endpoint} endpoint
 * @param {Record<string, string>} ids @param {() => number} nextNumber @returns {Job[]}
 */
function jobsOf(fixture, endpoint, ids, nextNumber) {
  const name = `${endpoint.method} ${endpoint.path}`
  if (excluded.has(name) || endpoint.method === 'DELETE') return []
  const noun = endpoint.path.split('/')[2] ?? ''
  const path = endpoint.path
    .replace(/:name/, 'openai')
    .replace(/:(?:id|key)/, ids[noun] || 'base')
    .replace(/:\w+/g, 'v1')
  const base = endpoint.example.body
  return [
    ...(base === undefined ? [] : bodyJobs(fixture, { name, path, base, nextNumber })),
    ...queryJobs(fixture, endpoint, path),
    ...pathJobs(fixture, endpoint),
  ]
}

/** @param {import('./fixture.mjs').Fixture} fixture @param {{ name: string, path: string, base: unknown, nextNumber: () => number }} target @returns {Job[]} */
function bodyJobs(fixture, { name, path, base, nextNumber }) {
  const values = [...corpus.map(({ text }) => text), ...oddValues]
  return pathsOf(base).flatMap((at) =>
    values.map(
      (value) => () =>
        attackBody(fixture, { name, path, body: bodyWith(base, at, value, nextNumber()), at, value }),
    ),
  )
}

/** @param {import('./fixture.mjs').Fixture} fixture @param {Endpoint} endpoint @param {string} path @returns {Job[]} */
function queryJobs(fixture, { method, path: name, query }, path) {
  const parameters = query && 'shape' in query ? Object.keys(/** @type {any} */ (query).shape) : []
  return parameters.flatMap((parameter) =>
    corpus.map(
      ({ text }) =>
        () =>
          attack(
            fixture,
            `${method} ${name}`,
            `${method} ${path}?${parameter}=${encodeURIComponent(wellFormed(text))}`,
          ),
    ),
  )
}

/** @param {import('./fixture.mjs').Fixture} fixture @param {Endpoint} endpoint @returns {Job[]} */
function pathJobs(fixture, { method, path, example }) {
  if (!path.includes(':')) return []
  return corpus.map(({ text }) => () => {
    const target = path.replace(/:\w+/g, () => encodeURIComponent(wellFormed(text)))
    return attack(fixture, `${method} ${path}`, `${method} ${target}`, example.body)
  })
}

/** @param {import('./fixture.mjs').Fixture} fixture @param {string} name @param {string} what @param {any} [body] */
async function attack(fixture, name, what, body) {
  const [method = 'GET', target = ''] = [what.split(' ')[0], what.slice(what.indexOf(' ') + 1)]
  fixture.count('injections')
  let reply
  try {
    reply = await fetch(fixture.url + target, {
      method,
      signal: AbortSignal.timeout(20_000),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && method !== 'GET' && { body: JSON.stringify(body) }),
    })
  } catch (error) {
    fixture.expect(false, 'injection', name, `no reply to ${JSON.stringify(body ?? target)}: ${error}`)
    return null
  }
  const text = await reply.text()
  // A failed call of a substituted provider is not a failure of the service.
  const isFault = reply.status >= 500 && ![502, 507].includes(reply.status)
  fixture.expect(!isFault, 'injection', name, `${reply.status} to ${target} ${JSON.stringify(body)}: ${text}`)
  // Requests that Node's parser rejects never get the service's headers.
  const isParsed = ![400, 414, 431].includes(reply.status) || reply.headers.has('x-request-id')
  const hasNosniff = reply.headers.get('x-content-type-options') === 'nosniff'
  fixture.expect(!isParsed || hasNosniff, 'injection', name, `${reply.status} without nosniff: ${target}`)
  fixture.expect(
    !/html/.test(reply.headers.get('content-type') ?? ''),
    'injection',
    name,
    `HTML came of ${target}`,
  )
  return { status: reply.status, text }
}

const storing = /^(?:POST|PATCH) \/api\/(?:prompts|agents|workflows|workspaces|users|runs)(?:\/:id)?$/

/** @param {import('./fixture.mjs').Fixture} fixture @param {{ name: string, path: string, body: any, at: (string | number)[], value: unknown }} target */
async function attackBody(fixture, { name, path, body, at, value }) {
  const reply = await attack(fixture, name, `${name.split(' ')[0]} ${path}`, body)
  const field = at[0]
  if (reply === null || reply.status >= 300 || at.length !== 1 || typeof value !== 'string' || value === '')
    return
  if (!storing.test(name)) return
  const stored = JSON.parse(reply.text).data?.[field ?? '']
  if (typeof stored !== 'string' || field === 'version') return
  fixture.expect(
    forms(value, name === 'POST /api/runs').includes(stored) || stored === path,
    'stored otherwise',
    name,
    `${field}: ${JSON.stringify(value)} became ${JSON.stringify(stored)}`,
  )
}
