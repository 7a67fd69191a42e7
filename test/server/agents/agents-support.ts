import { afterAll, beforeAll } from 'vitest'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { makePrompt } from '../prompts/prompts-support.ts'

export let server: TestServer

export let watcher: Watcher

export const tokens: Record<string, string> = {}

export const as = (role: string) => () => tokens[role] ?? null

export const changedFrames = ['agent', 'audit']

export const wrong = (...fields: string[]) => ({ status: 422, reply: { code: 'request.invalid' }, fields })

export const run = (scenario: Scenario) => watcher.run(scenario)

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
    for (const role of ['viewer', 'editor'] as const) tokens[role] = (await server.signedIn(role, role)).token
    await server.call('POST /api/workspaces', { body: { name: 'Blue' } })
    await makePrompt(server, {
      key: 'answer',
      env: 'prod',
      content: 'Answer {{question}} in {{language}}',
      variables: [
        { name: 'question', required: true },
        { name: 'language', default: 'English' },
      ],
    })
    await makePrompt(server, { key: 'draft-only', env: 'prod', draft: true, content: 'x' })
    watcher = await watch(server)
  })
  afterAll(async () => {
    await watcher.close()
    await server.close()
  })
}
