import type { TestServer } from '../../../support/service.ts'
import { server } from '../../watched-service.ts'

export { server, setUpService, time, watchAgain, watcher } from '../../watched-service.ts'

export type SignedIn = Awaited<ReturnType<TestServer['signedIn']>>

export const status = async (token: string) => (await server.call('GET /api/me', { token })).status

export const me = async (token: string) => (await server.call('GET /api/me', { token })).body
