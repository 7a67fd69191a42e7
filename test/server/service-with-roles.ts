import type { Substitutes } from '../../server/index.ts'
import { server, setUpWatched } from './file-service.ts'

export { server, watchAgain, watcher } from './file-service.ts'

/** The session tokens of a user of each role. The admin is called `chief`. */
export const tokens: Record<string, string> = {}

export const as = (role: string) => () => tokens[role] ?? null

/**
 * Starts a service with a user of each role, and a watcher, before the tests of the calling file. Closes both
 * after them.
 */
export const setUpService = (substitutes: Substitutes = {}): void =>
  setUpWatched(
    async () => {
      for (const role of ['viewer', 'editor', 'admin'] as const)
        tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
    },
    { substitutes },
  )
