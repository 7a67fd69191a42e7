// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasRole, permissionRoles } from '../../../dist/contract/common/roles.js'
import { endpoints } from '../../../dist/contract/index.js'
import { telemetryEndpoints } from '../../../dist/contract/telemetry/telemetry.js'
import { request } from '../lib/process.mjs'

const version = '4.32.5'
const root = fileURLToPath(new URL('../../../', import.meta.url))
const packages = join(root, '.cache/schemathesis')
/** Approximate number of operations that share the requests of a round. */
const operations = 110
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'only_permitted_operations',
].join(',')

/** @param {string} file @param {readonly string[]} args @param {NodeJS.ProcessEnv} env */
async function run(file, args, env, cwd = root) {
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-400_000)
    })
  const [code] = await once(child, 'close')
  return { code, output }
}

/** Installs Schemathesis into the cache folder, if it is missing. */
async function install() {
  if (existsSync(join(packages, `schemathesis-${version}.dist-info`))) return
  const args = [
    '-m',
    'pip',
    'install',
    '-q',
    '--disable-pip-version-check',
    '--target',
    packages,
    `schemathesis==${version}`,
  ]
  const { code, output } = await run('python3', args, {})
  if (code !== 0) throw new Error(`Schemathesis could not be installed: ${output}`)
}

/** Returns the operations that a principal may use, in OpenAPI notation. @param {string} principal */
function allowed(principal) {
  const permitted = [...endpoints, ...telemetryEndpoints].filter(({ permission, forApps }) => {
    if (permission === 'public') return true
    if (principal === 'anonymous') return false
    if (principal === 'limited') return forApps === true
    return permission === 'signed_in' || hasRole(/** @type {any} */ (principal), permissionRoles[permission])
  })
  const names = permitted.flatMap(({ method, alias, path }) =>
    [method, ...(alias ? [alias] : [])].map((verb) => `${verb} ${path.replace(/:(\w+)/g, '{$1}')}`),
  )
  return [...names, 'GET /health', 'GET /ready', 'GET /metrics', 'GET /openapi.json', 'GET /docs', 'GET /']
}

/** Excluded: these end the session, or call other hosts. */
const excluded = ['/api/logout', '/api/me/password', '/api/settings/service-token']

/**
 * Creates objects of every kind: requests with invented ids would end at the look-up.
 * @param {import('./fixture.mjs').Fixture} fixture
 */
async function makeObjects(fixture) {
  const bodies = /** @type {Record<string, (at: number) => object>} */ ({
    prompts: (at) => ({ key: at === 0 ? 'base' : `base-${at}`, content: 'Hi {{name}}', env: 'prod' }),
    agents: (at) => ({ key: `base-${at}`, content: 'Hi {{name}}' }),
    workflows: (at) => ({ key: `base-${at}`, steps: [{ name: 'a', type: 'render', template: 'Hi' }] }),
    workspaces: (at) => ({ name: `Base ${at}` }),
    users: (at) => ({ username: `base-${at}`, password: 'a phrase of base 1', role: 'viewer' }),
    tokens: (at) => ({ name: `base ${at}`, role: 'viewer' }),
  })
  const objects = /** @type {Record<string, string[]>} */ ({ runs: ['1', '2', '3', '4'], audit: ['1', '2'] })
  for (let at = 0; at < 4; at += 1)
    await request(fixture.url, 'POST /api/runs', {
      ...example('POST', '/api/runs'),
      client_run_id: `base-${at}`,
    })
  for (const [noun, body] of Object.entries(bodies))
    for (let at = 0; at < 10; at += 1) {
      const { data } = (await request(fixture.url, `POST /api/${noun}`, body(at))).body
      const id = data?.id ?? data?.token?.id
      if (id !== undefined) objects[noun] = [...(objects[noun] ?? []), id]
    }
  return objects
}

/** @param {string} method @param {string} path @returns {any} */
const example = (method, path) =>
  endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path)?.example.body

/** @param {import('./fixture.mjs').Fixture} fixture @param {string} counts @param {Record<string, unknown>} principals @param {Record<string, string[]>} objects @param {{ examples: number, seed: number }} options */
const runOnce = (fixture, counts, principals, objects, { examples, seed }) =>
  run(
    'python3',
    [
      ...['-m', 'schemathesis.cli', '--config-file'],
      fileURLToPath(new URL('./schemathesis.toml', import.meta.url)),
      ...['run', `${fixture.url}/openapi.json`, '--phases', 'fuzzing', '--checks', checks],
      ...['--max-examples', String(examples), '--seed', String(seed), '--workers', '1'],
      ...['--suppress-health-check', 'all', '--warnings', 'off', '--request-timeout', '20'],
      ...['--no-color', '--continue-on-failure', '--generation-with-security-parameters', 'false'],
      ...excluded.flatMap((path) => ['--exclude-path', path]),
    ],
    {
      PYTHONPATH: `${packages}:${fileURLToPath(new URL('.', import.meta.url))}`,
      SCHEMATHESIS_HOOKS: 'hostile_checks',
      HOSTILE_PRINCIPALS: JSON.stringify(principals),
      HOSTILE_OBJECTS: JSON.stringify(objects),
      HOSTILE_COUNT: counts,
      PYTHONUTF8: '1',
    },
    fixture.folder,
  )

/**
 * Runs Schemathesis until each principal has made the number of requests. Several principals alternate by
 * request.
 * @param {import('./fixture.mjs').Fixture} fixture
 * @param {readonly string[]} names
 * @param {{ seed: number, requests: number }} options
 */
export async function schemathesis(fixture, names, { seed, requests }) {
  await install()
  const counts = join(fixture.folder, 'schemathesis.json')
  const objects = await makeObjects(fixture)
  const principals = Object.fromEntries(
    names.map((name) => [name, { token: fixture.principals[name] ?? null, allowed: allowed(name) }]),
  )
  const remaining = Object.fromEntries(names.map((name) => [name, requests]))
  const reached = Object.fromEntries(names.map((name) => [name, new Set()]))
  for (const name of names) fixture.requireInputs(`schemathesis as ${name}`, requests)
  for (let round = 0; Math.max(...Object.values(remaining)) > 0; round += 1) {
    const totalRequests = Math.max(...Object.values(remaining)) * names.length
    // Some operations have few distinct inputs, so ask for a third more: a further round would cost more than
    // that.
    const examples = Math.min(160, Math.max(2, Math.ceil((totalRequests * 1.35) / operations)))
    const { code, output } = await runOnce(fixture, counts, principals, objects, {
      examples,
      seed: seed + round,
    })
    const seen = existsSync(counts) ? JSON.parse(readFileSync(counts, 'utf8')) : {}
    rmSync(counts, { force: true })
    if (code !== 0) reportFailures(fixture, names, output)
    if (countRound(fixture, seen, remaining, reached) === 0) break
  }
  for (const name of names) fixture.count(`operations that succeeded as ${name}`, reached[name]?.size)
}

/** @param {import('./fixture.mjs').Fixture} fixture @param {readonly string[]} names @param {string} output */
function reportFailures(fixture, names, output) {
  const at = output.indexOf('= FAILURES')
  const detail = at === -1 ? output.slice(-3000) : output.slice(at)
  fixture.expect(false, 'schemathesis', names.join(', '), detail)
  for (const [, what = '', times] of output.matchAll(/❌ (ST\d+ [^:\n]+): (\d+)/g))
    fixture.count(`schemathesis found ${what}`, Number(times))
}

/**
 * Counts the requests of a round. Returns their number.
 * @param {import('./fixture.mjs').Fixture} fixture
 * @param {Record<string, { requests?: number, statuses?: Record<string, number>, succeeded?: string[] }>} seen
 * @param {Record<string, number>} remaining @param {Record<string, Set<string>>} reached
 */
function countRound(fixture, seen, remaining, reached) {
  let requestCount = 0
  for (const name of Object.keys(remaining)) {
    const { requests = 0, statuses = {}, succeeded = [] } = seen[name] ?? {}
    requestCount += requests
    remaining[name] = (remaining[name] ?? 0) - requests
    fixture.count(`schemathesis as ${name}`, requests)
    for (const [status, times] of Object.entries(statuses)) fixture.count(`${name} got ${status}`, times)
    for (const operation of succeeded) reached[name]?.add(operation)
  }
  return requestCount
}
