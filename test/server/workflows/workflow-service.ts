import { server, setUpWatched } from '../file-service.ts'
import { make } from './workflow-support.ts'

export { server, watcher } from '../file-service.ts'

export const tokens: Record<string, string> = {}

export const as = (role: string) => () => tokens[role] ?? null

export const model = (name: string, more: object = {}) => ({ name, type: 'model', ...more })

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  setUpWatched(async () => {
    for (const role of ['viewer', 'editor'] as const) tokens[role] = (await server.signedIn(role, role)).token
    await make(server, '/api/agents', { key: 'helper', content: 'Help with {{task}}' })
  })
