// @ts-check
// `npm run test:hostile -- --seed N --shard i/n [--requests N] [--sample N]`: attacks a running service.
// `--requests` is the number of Schemathesis requests per principal, `--sample` limits the injections (0:
// all). Ends with one JSON line.
import { readArguments } from '../lib/arguments.mjs'
import { request } from '../lib/process.mjs'
import { hostsAndOrigins, providerAddresses } from './addresses.mjs'
import { createFixture } from './fixture.mjs'
import { frames, requestFlood, slowRequests } from './floods.mjs'
import { injections } from './injections.mjs'
import { schemathesis } from './schemathesis.mjs'
import { forgedTokens } from './tokens.mjs'

// `--short 1` runs a sample of every attack in less than a minute; Schemathesis then alternates between all
// principals.
const options = readArguments(process.argv.slice(2), { requests: 10_000, sample: 0, flood: 5_000, short: 0 })
const { seed, shard, shards } = options
const isShort = options.short === 1
const [requests, sample, flood] = isShort ? [40, 400, 300] : [options.requests, options.sample, options.flood]
const isFirst = shard === 1
const startedAt = Date.now()
const fixture = await createFixture()

/** @param {string} name @param {() => Promise<unknown>} attack */
async function runAttack(name, attack) {
  const attackStart = Date.now()
  const before = fixture.violations.length
  try {
    await attack()
  } catch (error) {
    fixture.expect(false, name, 'the harness', error instanceof Error ? error.stack : error)
  }
  const health = await request(fixture.url, 'GET /health')
  fixture.expect(
    fixture.isAlive() && health.status === 200,
    name,
    'the service afterwards',
    `${health.status} ${fixture.logged()}`,
  )
  const found = fixture.violations.slice(before)
  for (const { kind, what, detail } of found.slice(0, 20))
    process.stdout.write(`VIOLATION  ${kind}: ${what}: ${detail}\n`)
  process.stdout.write(`${found.length === 0 ? 'ok' : 'FAILED'}  ${name}  ${Date.now() - attackStart} ms\n`)
  reported = fixture.violations.length
  return found.length === 0
}

let passed = 0
/** Number of violations already printed. */
let reported = 0
let failed = 0
/** @param {string} name @param {() => Promise<unknown>} attack */
const tally = async (name, attack) => {
  if (await runAttack(name, attack)) passed += 1
  else failed += 1
}
if (isFirst) {
  await tally('forged tokens', () => forgedTokens(fixture, isShort ? ['/api/me'] : undefined))
  await tally('hosts and origins', () => hostsAndOrigins(fixture))
  await tally('provider addresses', () => providerAddresses(fixture, { isShort }))
  await tally('frames', () => frames(fixture, sample === 0 ? 5 : 1))
  await tally('slow requests', () => slowRequests(fixture, isShort ? 50 : 200))
}
await tally('injections', () => injections(fixture, { shard, shards, sample, seed }))
const principals = Object.keys(fixture.principals)
for (const names of isShort ? [principals] : principals.map((name) => [name]))
  await tally(`schemathesis as ${names.join(', ')}`, () =>
    // A different seed for each seed, shard and round.
    schemathesis(fixture, names, {
      seed: seed * 10_000 + shard * 100,
      requests: Math.ceil(requests / shards),
    }),
  )
if (isFirst) await tally('request flood', () => requestFlood(fixture, flood))
/** The default address of Ollama, which an admin may enable and call. Every other local address is refused. */
const isOllama = (/** @type {{ host: string, port: number }} */ { host, port }) =>
  host === '127.0.0.1' && Number(port) === 11_434
for (const outgoing of fixture.outgoing()) {
  const { host, port, reach } = outgoing
  fixture.expect(reach === 'public' || isOllama(outgoing), 'outgoing', `${host}:${port}`, reach)
}
const { required, counts, violations } = fixture
for (const [kind, times] of Object.entries(required))
  fixture.expect((counts[kind] ?? 0) >= times, 'too few', kind, `${counts[kind] ?? 0} of ${times}`)
const code = await fixture.close()
fixture.expect(code === 0, 'end', 'the service', `ended with ${code}`)
for (const { kind, what, detail } of violations.slice(reported))
  process.stdout.write(`VIOLATION  ${kind}: ${what}: ${detail}\n`)
if (violations.length > reported) failed += 1
process.stdout.write(
  `${JSON.stringify({ harness: 'hostile', seed, shard: `${shard}/${shards}`, passed, failed, violations: violations.length, seconds: Math.round((Date.now() - startedAt) / 1000), required, counts })}\n`,
)
process.exitCode = failed === 0 && violations.length === 0 ? 0 : 1
