import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../harness/lib/random.mjs'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { createMember, type Member } from './access-support.ts'
import { type Model, operations } from './model.ts'

const steps = 4000
const workspaceCount = 6
const memberCount = 4

let server: TestServer
const workspaces: string[] = []
const members: Member[] = []

beforeAll(async () => {
  server = await startTestServer()
  for (let index = 0; index < workspaceCount; index += 1)
    workspaces.push((await server.call('POST /api/workspaces', { body: { name: `w${index}` } })).body.data.id)
  for (let index = 0; index < memberCount; index += 1)
    members.push(await createMember(server, `member${index}`, []))
})
afterAll(() => server.close())

describe('access with random memberships', () => {
  it(`agrees with a naive model over ${steps} steps`, { timeout: 300_000 }, async () => {
    const seed = Number(process.env['ACCESS_SEED'] ?? Date.now() % 2 ** 31)
    const random = createRandom(seed)
    const memberships = members.map(() => new Map())
    const model: Model = {
      server,
      workspaces,
      members,
      random,
      memberships,
      prompts: [],
      alerts: [],
      runs: [],
    }
    const choices = operations.flatMap((operation) => Array<typeof operation>(operation[1]).fill(operation))
    const done = new Set<string>()
    for (let step = 0; step < steps; step += 1) {
      const [name, , operation] = choices[Math.floor(random() * choices.length)] ?? operations[0] ?? []
      const who = Math.floor(random() * memberCount)
      await operation?.(model, who).catch((cause: unknown) => {
        throw new Error(`ACCESS_SEED=${seed}, step ${step}: ${name} by member${who}`, { cause })
      })
      if (name !== undefined) done.add(name)
    }
    // The agreement proves little unless every operation was used.
    expect(done.size).toBe(operations.length)
  })
})
