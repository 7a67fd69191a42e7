import { afterEach } from 'vitest'
import { startTestServer, type TestServer } from '../../../support/service.ts'

let server: TestServer | null = null

export const start = async (env: Record<string, string>): Promise<TestServer> => {
  server = await startTestServer({ env })
  return server
}

/** Closes the service of each test of the calling file after it. */
export function closeAfterEach(): void {
  afterEach(async () => {
    await server?.close()
    server = null
  })
}
