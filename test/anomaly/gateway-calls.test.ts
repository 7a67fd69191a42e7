import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Run } from '../../contract/runs/run.ts'
import { type ModelServer, startModelServer } from '../support/model-server/server.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'
import { serviceToken } from '../support/service.ts'

let dataDir: string
let service: ServiceProcess
let models: ModelServer
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-gateway-'))
  models = await startModelServer()
})
afterAll(async () => {
  await service.kill()
  await models.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** A small count here; `npm run test:gateway` makes 10,000 calls over 50 kills. */
const rounds = Number(process.env['GATEWAY_KILLS'] ?? 2)
const callsPerRound = Math.ceil(Number(process.env['GATEWAY_CALLS'] ?? 80) / rounds)
const patienceMs = Math.max(120_000, rounds * 60_000)

/** Texts that must be in no file and no output of the service. */
const canaries = {
  providerKey: 'sk-canary-provider-9f8e7d6c5b4a',
  callerKey: 'sk-canary-caller-1a2b3c4d5e6f',
  prompt: 'canary prompt text',
}
let passThroughToken = ''

const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' }
/** Headers of a caller with its own provider key. */
const ownKeyHeaders = () => ({
  authorization: `Bearer ${canaries.callerKey}`,
  'promptdeck-token': passThroughToken,
  'content-type': 'application/json',
})
async function get(path: string) {
  return (await fetch(service.url + path, { headers })).json()
}

/** Streams one call to its end, or until the service is killed. Returns the announced id; null without a reply. */
async function call(
  user: string,
  isOwnKey: boolean,
): Promise<{ callId: string | null; isComplete: boolean }> {
  let callId: string | null = null
  try {
    const body = JSON.stringify({
      model: 'gpt-4o-mini',
      stream: true,
      user,
      messages: [{ role: 'user', content: `${canaries.prompt} ${'word '.repeat(20)}` }],
    })
    const reply = await fetch(`${service.url}/gateway/openai/v1/chat/completions`, {
      method: 'POST',
      headers: isOwnKey ? ownKeyHeaders() : headers,
      body,
    })
    callId = reply.headers.get('promptdeck-run-id')
    await reply.text()
    return { callId, isComplete: true }
  } catch {
    // The service was killed.
    return { callId, isComplete: false }
  }
}

/** Returns every run of the gateway, by pages. */
async function allRuns(): Promise<Run[]> {
  const runs: Run[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: { data: Run[]; next_cursor: string | null } = await get(
      `/api/runs?limit=200&source=gateway&sort=-created_at${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    runs.push(...page.data)
    cursor = page.next_cursor
  }
  return runs
}

it('records each call that reached the provider once, complete or interrupted, after repeated kills', {
  timeout: patienceMs,
}, async () => {
  const results: { user: string; callId: string | null; isComplete: boolean }[] = []
  let output = ''
  for (let round = 0; round < rounds; round += 1) {
    service = await spawnService({ DATA_DIR: dataDir })
    if (round === 0) {
      const body = JSON.stringify({
        base_url: `${models.url}/v1`,
        local: true,
        api_key: canaries.providerKey,
        concurrency: 30,
      })
      await fetch(`${service.url}/api/providers/openai`, { method: 'PATCH', headers, body })
      const token = { name: 'own key', gateway: true, pass_through_key: true }
      const created = await fetch(`${service.url}/api/tokens`, {
        method: 'POST',
        headers,
        body: JSON.stringify(token),
      })
      passThroughToken = (await created.json()).data.token
    }
    // Some are complete before the kill, some stream, and some wait for a slot.
    models.always({ paceMs: 20 })
    models.plan({}, {}, {}, { fault: 'silent' }, { fault: 'stall' }, { fault: 'silent' }, { fault: 'stall' })
    const before = models.seen.length
    let complete = 0
    const calling = Array.from({ length: callsPerRound }, async (_, n) => {
      const user = `r${round}-${n}`
      const result = await call(user, n % 2 === 1)
      if (result.isComplete) complete += 1
      results.push({ user, ...result })
    })
    const [reached, ended] = [20 + (round % 4) * 5, (round % 4) * 2]
    while (models.seen.length - before < reached || complete < ended) await delay(1)
    await service.kill()
    output += service.stderr()
    await Promise.all(calling)
  }
  service = await spawnService({ DATA_DIR: dataDir })

  const runs = await allRuns()
  const users = runs.map(({ end_user: user }) => user)
  expect(new Set(users).size).toBe(users.length)
  const reached = models.seen.map(({ body }) => String(body['user']))
  expect(reached.filter((user) => !users.includes(user))).toEqual([])
  for (const { callId, user } of results) {
    if (callId === null) continue
    const { data } = await get(`/api/runs/${callId}`)
    expect(data).toMatchObject({ end_user: user, call_id: callId })
  }
  const types = new Set(runs.map(({ status, error_type: type }) => (status === 'ok' ? 'ok' : type)))
  expect([...types]).toEqual(expect.arrayContaining(['interrupted', 'ok']))
  expect(results.filter(({ isComplete }) => isComplete).length).toBeGreaterThan(0)

  await service.stop()
  output += service.stderr()
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true })
  for (const secret of [...Object.values(canaries), passThroughToken]) {
    expect(output).not.toContain(secret)
    expect(JSON.stringify(runs)).not.toContain(secret)
    for (const file of files.filter((each) => each.isFile()))
      expect((await readFile(join(file.parentPath, file.name))).includes(secret), file.name).toBe(false)
  }
})
