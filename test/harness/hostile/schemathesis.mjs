// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../../../dist/contract/index.js'
import { hasRole, permissionRoles } from '../../../dist/contract/roles.js'
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
  'only_what_it_may',
].join(',')

/** @param {string} file @param {readonly string[]} args @param {NodeJS.ProcessEnv} env */
async function run(file, args, env, cwd = root) {
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-400_000)
    })
  const [code] = await once(child, 'close')
  return { code, said }
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
  const { code, said } = await run('python3', args, {})
  if (code !== 0) throw new Error(`Schemathesis could not be installed: ${said}`)
}

/** Returns the operations that a principal may use, in OpenAPI notation. @param {string} principal */
function allowed(principal) {
  const may = endpoints.filter(({ permission, forApps }) => {
    if (permission === 'public') return true
    if (principal === 'anonymous') return false
    if (principal === 'limited') return forApps === true
    return permission === 'signed_in' || hasRole(/** @type {any} */ (principal), permissionRoles[permission])
  })
  const names = may.flatMap(({ method, alias, path }) =>
    [method, ...(alias ? [alias] : [])].map((each) => `${each} ${path.replace(/:(\w+)/g, '{$1}')}`),
  )
  return [...names, 'GET /health', 'GET /metrics', 'GET /openapi.json', 'GET /docs', 'GET /']
}

/** Excluded: these end the session, or call other hosts. */
const leftOut = ['/api/logout', '/api/me/password', '/api/settings/service-token']

/**
 * Creates objects of every kind: requests with invented ids would end at the look-up.
 * @param {import('./world.mjs').World} world
 */
async function makeObjects(world) {
  const bodies = /** @type {Record<string, (at: number) => object>} */ ({
    prompts: (at) => ({ key: at === 0 ? 'base' : `base-${at}`, content: 'Hi {{name}}', env: 'prod' }),
    agents: (at) => ({ key: `base-${at}`, content: 'Hi {{name}}' }),
    workflows: (at) => ({ key: `base-${at}`, steps: [{ name: 'a', type: 'render', template: 'Hi' }] }),
    workspaces: (at) => ({ name: `Base ${at}` }),
    users: (at) => ({ username: `base-${at}`, password: 'a phrase of base 1', role: 'viewer' }),
    tokens: (at) => ({ name: `base ${at}`, role: 'viewer' }),
  })
  const made = /** @type {Record<string, string[]>} */ ({ runs: ['1', '2', '3', '4'], audit: ['1', '2'] })
  for (let at = 0; at < 4; at += 1)
    await request(world.url, 'POST /api/runs', {
      ...example('POST', '/api/runs'),
      client_run_id: `base-${at}`,
    })
  for (const [noun, body] of Object.entries(bodies))
    for (let at = 0; at < 10; at += 1) {
      const { data } = (await request(world.url, `POST /api/${noun}`, body(at))).body
      const id = data?.id ?? data?.token?.id
      if (id !== undefined) made[noun] = [...(made[noun] ?? []), id]
    }
  return made
}

/** @param {string} method @param {string} path @returns {any} */
const example = (method, path) =>
  endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path)?.example.body

/** @param {import('./world.mjs').World} world @param {string} counts @param {Record<string, unknown>} principals @param {Record<string, string[]>} objects @param {{ examples: number, seed: number }} options */
const runOnce = (world, counts, principals, objects, { examples, seed }) =>
  run(
    'python3',
    [
      ...['-m', 'schemathesis.cli', '--config-file'],
      fileURLToPath(new URL('./schemathesis.toml', import.meta.url)),
      ...['run', `${world.url}/openapi.json`, '--phases', 'fuzzing', '--checks', checks],
      ...['--max-examples', String(examples), '--seed', String(seed), '--workers', '1'],
      ...['--suppress-health-check', 'all', '--warnings', 'off', '--request-timeout', '20'],
      ...['--no-color', '--continue-on-failure', '--generation-with-security-parameters', 'false'],
      ...leftOut.flatMap((path) => ['--exclude-path', path]),
    ],
    {
      PYTHONPATH: `${packages}:${fileURLToPath(new URL('.', import.meta.url))}`,
      SCHEMATHESIS_HOOKS: 'hostile_checks',
      HOSTILE_PRINCIPALS: JSON.stringify(principals),
      HOSTILE_OBJECTS: JSON.stringify(objects),
      HOSTILE_COUNT: counts,
      PYTHONUTF8: '1',
    },
    world.folder,
  )

/**
 * Runs Schemathesis until each principal has made the number of requests. Several principals alternate by
 * request.
 * @param {import('./world.mjs').World} world
 * @param {readonly string[]} names
 * @param {{ seed: number, requests: number }} options
 */
export async function schemathesis(world, names, { seed, requests }) {
  await install()
  const counts = join(world.folder, 'schemathesis.json')
  const objects = await makeObjects(world)
  const principals = Object.fromEntries(
    names.map((name) => [name, { token: world.principals[name] ?? null, allowed: allowed(name) }]),
  )
  const left = Object.fromEntries(names.map((name) => [name, requests]))
  const reached = Object.fromEntries(names.map((name) => [name, new Set()]))
  for (const name of names) world.ask(`schemathesis as ${name}`, requests)
  for (let round = 0; Math.max(...Object.values(left)) > 0; round += 1) {
    const most = Math.max(...Object.values(left)) * names.length
    // Some operations have few distinct inputs, so ask for a third more: a further round would cost more than
    // that.
    const examples = Math.min(160, Math.max(2, Math.ceil((most * 1.35) / operations)))
    const { code, said } = await runOnce(world, counts, principals, objects, { examples, seed: seed + round })
    const seen = existsSync(counts) ? JSON.parse(readFileSync(counts, 'utf8')) : {}
    rmSync(counts, { force: true })
    if (code !== 0) {
      const at = said.indexOf('= FAILURES')
      world.expect(false, 'schemathesis', names.join(', '), at === -1 ? said.slice(-3000) : said.slice(at))
      for (const [, what = '', times] of said.matchAll(/❌ (ST\d+ [^:\n]+): (\d+)/g))
        world.count(`schemathesis found ${what}`, Number(times))
    }
    let made = 0
    for (const name of names) {
      const { requests: own = 0, statuses = {}, succeeded = [] } = seen[name] ?? {}
      made += own
      left[name] = (left[name] ?? 0) - own
      world.count(`schemathesis as ${name}`, own)
      for (const [status, times] of Object.entries(statuses)) world.count(`${name} got ${status}`, times)
      for (const operation of succeeded) reached[name]?.add(operation)
    }
    if (made === 0) break
  }
  for (const name of names) world.count(`operations that succeeded as ${name}`, reached[name]?.size)
}
