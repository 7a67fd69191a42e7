import { mkdtemp, rm } from 'node:fs/promises'
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

const callsPerRound = 40
const rounds = 3

const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' }
async function get(path: string) {
  return (await fetch(service.url + path, { headers })).json()
}

/** Streams one call to its end, or until the service is killed. Returns the announced id; null without a reply. */
async function call(user: string): Promise<{ callId: string | null; isComplete: boolean }> {
  let callId: string | null = null
  try {
    const body = JSON.stringify({
      model: 'gpt-4o-mini',
      stream: true,
      user,
      messages: [{ role: 'user', content: `${'word '.repeat(20)}` }],
    })
    const reply = await fetch(`${service.url}/gateway/openai/v1/chat/completions`, {
      method: 'POST',
      headers,
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

it('records each call that reached the provider once, complete or interrupted, after repeated kills', {
  timeout: 120_000,
}, async () => {
  const results: { user: string; callId: string | null; isComplete: boolean }[] = []
  for (let round = 0; round < rounds; round += 1) {
    service = await spawnService({ DATA_DIR: dataDir })
    if (round === 0) {
      const body = JSON.stringify({
        base_url: `${models.url}/v1`,
        local: true,
        api_key: 'sk-any-key',
        concurrency: 30,
      })
      await fetch(`${service.url}/api/providers/openai`, { method: 'PATCH', headers, body })
    }
    // Some are complete before the kill, some stream, and some wait for a slot.
    models.always({ paceMs: 20 })
    models.plan({}, {}, {}, { fault: 'silent' }, { fault: 'stall' }, { fault: 'silent' }, { fault: 'stall' })
    const before = models.seen.length
    let complete = 0
    const calling = Array.from({ length: callsPerRound }, async (_, n) => {
      const user = `r${round}-${n}`
      const result = await call(user)
      if (result.isComplete) complete += 1
      results.push({ user, ...result })
    })
    while (models.seen.length - before < 20 + round * 5 || complete < round * 2) await delay(1)
    await service.kill()
    await Promise.all(calling)
  }
  service = await spawnService({ DATA_DIR: dataDir })

  const { data: runs, total }: { data: Run[]; total: number } = await get(
    '/api/runs?limit=200&source=gateway',
  )
  expect(runs).toHaveLength(total)
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
  expect([...types].toSorted()).toEqual(['interrupted', 'ok'])
  expect(results.filter(({ isComplete }) => isComplete).length).toBeGreaterThan(0)
})
