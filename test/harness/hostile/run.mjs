// @ts-check
// `npm run test:hostile -- --seed N --shard i/n [--requests N] [--sample N]`: attacks a running service.
// `--requests` is the number of Schemathesis requests per principal, `--sample` limits the injections (0:
// all). Ends with one JSON line.
import { readArguments } from '../lib/arguments.mjs'
import { request } from '../lib/process.mjs'
import { hostsAndOrigins, providerAddresses } from './addresses.mjs'
import { frames, requestFlood, slowRequests } from './floods.mjs'
import { injections } from './injections.mjs'
import { schemathesis } from './schemathesis.mjs'
import { forgedTokens } from './tokens.mjs'
import { createWorld } from './world.mjs'

// `--short 1` runs a sample of every attack in less than a minute; Schemathesis then alternates between all
// principals.
const given = readArguments(process.argv.slice(2), { requests: 10_000, sample: 0, flood: 5_000, short: 0 })
const { seed, shard, shards } = given
const isShort = given.short === 1
const [requests, sample, flood] = isShort ? [40, 400, 300] : [given.requests, given.sample, given.flood]
const isFirst = shard === 1
const startedAt = Date.now()
const world = await createWorld()

/** @param {string} name @param {() => Promise<unknown>} attack */
async function play(name, attack) {
  const begun = Date.now()
  const before = world.violations.length
  try {
    await attack()
  } catch (error) {
    world.expect(false, name, 'the harness', error instanceof Error ? error.stack : error)
  }
  const health = await request(world.url, 'GET /health')
  world.expect(
    world.isAlive() && health.status === 200,
    name,
    'the service afterwards',
    `${health.status} ${world.logged()}`,
  )
  const found = world.violations.slice(before)
  for (const { kind, what, detail } of found.slice(0, 20))
    process.stdout.write(`VIOLATION  ${kind}: ${what}: ${detail}\n`)
  process.stdout.write(`${found.length === 0 ? 'ok' : 'FAILED'}  ${name}  ${Date.now() - begun} ms\n`)
  reported = world.violations.length
  return found.length === 0
}

let passed = 0
/** Number of violations already printed. */
let reported = 0
let failed = 0
/** @param {string} name @param {() => Promise<unknown>} attack */
const tally = async (name, attack) => {
  if (await play(name, attack)) passed += 1
  else failed += 1
}
if (isFirst) {
  await tally('forged tokens', () => forgedTokens(world, isShort ? ['/api/me'] : undefined))
  await tally('hosts and origins', () => hostsAndOrigins(world))
  await tally('provider addresses', () => providerAddresses(world, { isShort }))
  await tally('frames', () => frames(world, sample === 0 ? 5 : 1))
  await tally('slow requests', () => slowRequests(world, isShort ? 50 : 200))
}
await tally('injections', () => injections(world, { shard, shards, sample, seed }))
const principals = Object.keys(world.principals)
for (const names of isShort ? [principals] : principals.map((name) => [name]))
  await tally(`schemathesis as ${names.join(', ')}`, () =>
    // A different seed for each seed, shard and round.
    schemathesis(world, names, { seed: seed * 10_000 + shard * 100, requests: Math.ceil(requests / shards) }),
  )
if (isFirst) await tally('request flood', () => requestFlood(world, flood))
for (const { host, reach } of world.outgoing()) world.expect(reach === 'public', 'outgoing', host, reach)
const { asked, counts, violations } = world
for (const [kind, times] of Object.entries(asked))
  world.expect((counts[kind] ?? 0) >= times, 'too few', kind, `${counts[kind] ?? 0} of ${times}`)
const code = await world.close()
world.expect(code === 0, 'end', 'the service', `ended with ${code}`)
for (const { kind, what, detail } of violations.slice(reported))
  process.stdout.write(`VIOLATION  ${kind}: ${what}: ${detail}\n`)
if (violations.length > reported) failed += 1
process.stdout.write(
  `${JSON.stringify({ harness: 'hostile', seed, shard: `${shard}/${shards}`, passed, failed, violations: violations.length, seconds: Math.round((Date.now() - startedAt) / 1000), asked, counts })}\n`,
)
process.exitCode = failed === 0 && violations.length === 0 ? 0 : 1
