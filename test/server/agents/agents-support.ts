import type { Scenario } from '../../support/scenario.ts'
import { server, setUpWatched, watcher } from '../file-service.ts'
import { makePrompt } from '../prompts/prompts-support.ts'

export { server, watcher } from '../file-service.ts'

export const tokens: Record<string, string> = {}

export const as = (role: string) => () => tokens[role] ?? null

export const changedFrames = ['agent', 'audit']

export const wrong = (...fields: string[]) => ({ status: 422, reply: { code: 'request.invalid' }, fields })

export const run = (scenario: Scenario) => watcher.run(scenario)

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  setUpWatched(async () => {
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
  })
