import { readConfig } from './config.ts'
import { startServer } from './index.ts'
import { createLogger } from './lib/logger.ts'

/**
 * Time in which a second signal counts as the same Ctrl-C, in milliseconds: npm repeats the one the terminal
 * sent.
 */
const repeatedSignalMs = 500

/** Runs the service until a signal ends it. Prints one line to stdout when it is ready. */
export async function serve(): Promise<void> {
  const config = readConfig(process.env)
  const logger = createLogger(config)
  const server = await startServer(config, {
    logger,
    // The store can no longer store changes. Stop, so that the next start reads the state on disk.
    onFatal: (error) => {
      process.stderr.write(`Stopped: ${error.message}\n`)
      process.exit(1)
    },
  })

  let stoppingSince: number | null = null
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== null) {
      if (Date.now() - stoppingSince > repeatedSignalMs) process.exit(130)
      return
    }
    stoppingSince = Date.now()
    logger.info({ signal }, 'stopping')
    server.close().then(
      // Node aborts in `exit` if its terminal was closed, so the signal ends the process.
      () => (signal === 'SIGHUP' ? process.off(signal, stop).kill(process.pid, signal) : process.exit(0)),
      (error: unknown) => {
        logger.error({ err: error }, 'the service did not stop cleanly')
        process.exit(1)
      },
    )
  }
  // A terminal that is closed sends SIGHUP.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // Print this last, because the reader may stop the service immediately.
  process.stdout.write(`listening on ${server.url}\n`)
}
