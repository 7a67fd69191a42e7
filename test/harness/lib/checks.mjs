// @ts-check
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Creates a function that runs named checks, prints each result and counts them. */
export function createChecks() {
  const counts = { passed: 0, failed: 0 }
  return {
    counts,
    /** @param {string} name @param {() => Promise<void>} run */
    async check(name, run) {
      try {
        await run()
        counts.passed += 1
        process.stdout.write(`ok      ${name}\n`)
      } catch (error) {
        counts.failed += 1
        process.stdout.write(`FAILED  ${name}: ${error instanceof Error ? error.stack : error}\n`)
      }
    },
  }
}

/** Returns a TCP port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
