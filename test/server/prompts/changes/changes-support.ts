import { server, setUpWatched } from '../../file-service.ts'
import { makePrompt } from '../prompts-support.ts'

export { server, watcher } from '../../file-service.ts'

export const tokens: Record<string, string> = {}

export const ids: Record<string, string> = {}

export const as = (role: 'viewer' | 'editor' | 'admin') => () => tokens[role] ?? null

export const changedFrames = ['prompt', 'audit']

export const path = (name: string, rest = '') => `/api/prompts/${ids[name]}${rest}`

export const remember = async (name: string, body: object) => {
  ids[name] = (await makePrompt(server, body)).id
}

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  setUpWatched(async () => {
    for (const role of ['viewer', 'editor', 'admin'] as const)
      tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
    await server.call('POST /api/workspaces', { body: { name: 'Blue' } })
    await server.call('POST /api/workspaces', { body: { name: 'Safe', protected_envs: ['prod'] } })
  })
