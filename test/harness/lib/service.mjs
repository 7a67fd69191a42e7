// @ts-check
// The service like `npm run serve`, with small segments and cheap password hashes. Prints its URL.
import { readConfig } from '../../../dist/server/config.js'
import { startServer } from '../../../dist/server/index.js'
import { createLogger } from '../../../dist/server/lib/logger.js'

/** A segment holds a few dozen transactions, so that a short workload causes a checkpoint. */
const tuning = { segmentBytes: 64 * 1024, journalBytes: 512 * 1024, journalTransactions: 60 }

try {
  const config = readConfig(process.env)
  const server = await startServer(config, {
    logger: createLogger(config),
    passwordCost: 4,
    store: { tuning },
    onFatal(error) {
      process.stderr.write(`Stopped: ${error.message}\n`)
      process.exit(1)
    },
  })
  process.on('SIGTERM', () => {
    server.close().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`${error?.stack ?? error}\n`)
        process.exit(1)
      },
    )
  })
  process.stdout.write(`listening on ${server.url}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
