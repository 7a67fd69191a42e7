// @ts-check
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { request } from '../lib/process.mjs'
import { createFixture } from './fixture.mjs'

const encode = (/** @type {unknown} */ value) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const decode = (/** @type {string | undefined} */ part) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString())

/** @param {string} url */
async function signIn(url) {
  const reply = await request(url, 'POST /api/login', { username: 'admin', password: 'admin' })
  return String(reply.body.token)
}

/** A description, and the token. @typedef {[string, string]} Forgery */
/** A real token and its parts. @typedef {ReturnType<typeof partsOf>} Token */

/** @param {string} real */
function partsOf(real) {
  const [head = '', body = '', mac = ''] = real.split('.')
  return { real, head, body, mac, header: decode(head), claims: decode(body) }
}

/** Signs a header and a body. @param {string} head @param {string} body @param {string | Buffer} key */
const signToken = (head, body, key, algorithm = 'sha256') =>
  `${head}.${body}.${createHmac(algorithm, key).update(`${head}.${body}`).digest('base64url')}`

/** Forges tokens from a real one. @param {string} real @param {string} foreign @returns {Forgery[]} */
function forgeries(real, foreign) {
  const token = partsOf(real)
  return [
    ['from another data folder', foreign],
    ...withOtherAlgorithms(token),
    ...withGuessedKeys(token),
    ...withOtherHeaders(token),
    ...withOtherClaims(token),
    ...withOtherForms(token),
  ]
}

/** Returns tokens with another algorithm in the header. @param {Token} token @returns {Forgery[]} */
function withOtherAlgorithms({ header, body, mac }) {
  /** @type {Forgery[]} */
  const all = []
  for (const alg of [
    'none',
    'None',
    'NONE',
    'nOnE',
    '',
    'HS384',
    'HS512',
    'RS256',
    'ES256',
    'PS256',
    'EdDSA',
    'hs256',
    null,
    0,
    [],
  ])
    for (const [how, tail] of [
      ['with its own signature', mac],
      ['without a signature', ''],
      ['with a signature of zeros', 'A'.repeat(43)],
    ])
      all.push([`alg ${JSON.stringify(alg)} ${how}`, `${encode({ ...header, alg })}.${body}.${tail}`])
  return all
}

/** Returns tokens signed with keys that could be guessed. @param {Token} token @returns {Forgery[]} */
function withGuessedKeys({ head, body }) {
  /** @type {Forgery[]} */
  const all = []
  for (const key of [
    '',
    'secret',
    'promptdeck',
    'promptdeck-dev-token',
    'null',
    'undefined',
    '\0',
    Buffer.alloc(32),
    Buffer.alloc(64),
  ])
    for (const algorithm of ['sha256', 'sha384', 'sha512'])
      all.push([
        `signed with the key ${JSON.stringify(String(key))} by ${algorithm}`,
        signToken(head, body, key, algorithm),
      ])
  return all
}

/** Returns tokens with header fields that could select a key. @param {Token} token @returns {Forgery[]} */
function withOtherHeaders({ header, body, mac }) {
  /** @type {Forgery[]} */
  const all = []
  for (const kid of [
    '../../../../dev/null',
    '/dev/null',
    "' UNION SELECT 'x",
    'http://127.0.0.1/key',
    '0',
    '',
  ])
    all.push([`kid ${kid}`, signToken(encode({ ...header, kid }), body, '')])
  for (const name of ['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64', 'zip'])
    all.push([
      `header ${name}`,
      `${encode({ ...header, [name]: name === 'b64' ? false : ['x'] })}.${body}.${mac}`,
    ])
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const esHead = encode({ ...header, alg: 'ES256' })
  all.push([
    'signed by ES256',
    `${esHead}.${body}.${sign('sha256', Buffer.from(`${esHead}.${body}`), pair.privateKey).toString('base64url')}`,
  ])
  return all
}

/** Returns tokens with other claims or another payload. @param {Token} token @returns {Forgery[]} */
function withOtherClaims({ head, mac, claims }) {
  /** @type {Forgery[]} */
  const all = []
  const changed = {
    sub: '1',
    aud: 'other',
    iss: 'other',
    typ: 'other',
    sid: 'x',
    exp: 1,
    iat: 9e9,
    role: 'admin',
    nbf: 9e9,
  }
  for (const [name, value] of Object.entries(changed))
    all.push([`claim ${name} changed`, `${head}.${encode({ ...claims, [name]: value })}.${mac}`])
  for (const payload of ['null', '[]', '"x"', '1', 'true', '{}', '', '{', '{"sub":{}}', '{"__proto__":{}}'])
    all.push(
      [`payload ${payload}`, `${head}.${encode(payload)}.${mac}`],
      [`payload ${payload}, signed with an empty key`, signToken(head, encode(payload), '')],
    )
  return all
}

/** Returns tokens of another form. @param {Token} token @returns {Forgery[]} */
function withOtherForms({ real, head, body, mac, claims }) {
  /** @type {Forgery[]} */
  const all = []
  for (let cut = 1; cut < real.length; cut += Math.ceil(real.length / 24))
    all.push([`cut after ${cut}`, real.slice(0, cut)])
  for (const [name, variant] of /** @type {[string, string][]} */ ([
    ['with an additional dot', `${real}.`],
    ['with four parts', `${real}.x`],
    ['doubled', real + real],
    ['with a changed signature', `${head}.${body}.${mac.slice(0, -4)}AAAA`],
    ['in upper case', real.toUpperCase()],
    ['as base64', Buffer.from(real).toString('base64')],
    ['the id of the session', String(claims.sid)],
    ['the id of the user', String(claims.sub)],
    ['three dots', '...'],
    ['a single character', '%'],
    ['very long', 'a'.repeat(6000)],
    ['a payload of another shape', 'eyJhbGciOiJIUzI1NiJ9.Ww.x'],
    ['an unknown API token', `pd_api_${'0'.repeat(64)}`],
    ['an API token with a wildcard', 'pd_api_%'],
    ['a quote', "' OR 1=1 --"],
  ]))
    all.push([name, variant])
  return all
}

/** @param {import('./fixture.mjs').Fixture} fixture */
export async function forgedTokens(fixture, paths = ['/api/me', '/api/users', '/ws', '/metrics']) {
  const other = await createFixture()
  const foreign = await signIn(other.url)
  await other.close()
  const real = await signIn(fixture.url)
  const forged = new Map(forgeries(real, foreign).map(([what, token]) => [token, what]))
  forged.delete(real)
  fixture.requireInputs('distinct forgeries', 94)
  fixture.count('distinct forgeries', forged.size)
  fixture.requireInputs('forged tokens', forged.size * (paths.length + 1))
  for (const [token, what] of forged) {
    for (const path of paths) {
      fixture.count('forged tokens')
      const reply = await fetch(fixture.url + path, {
        headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' },
      })
      const text = await reply.text()
      fixture.expect(
        [401, 403, 431].includes(reply.status),
        'forged token',
        `${what} on ${path}`,
        `${reply.status} ${text}`,
      )
    }
    fixture.count('forged tokens')
    const login = await request(fixture.url, 'POST /api/login', { token: token.slice(0, 1024) })
    fixture.expect([401, 422].includes(login.status), 'forged token', `${what} at sign-in`, login.status)
  }
  const realReply = await fetch(`${fixture.url}/api/me`, { headers: { authorization: `Bearer ${real}` } })
  fixture.expect(realReply.status === 200, 'forged token', 'the real token', realReply.status)
}
