import type {} from 'electron'
import { readConfig } from '../server/config.ts'
import { startServer } from '../server/index.ts'
import { hostService } from './service/host-service.ts'
import { connectKeyStore } from './service/key-store-client.ts'

/**
 * Entry of the utility process: runs the service as plain Node does, with a message port in place of stdout.
 */
await hostService({
  port: process.parentPort,
  start: async () => {
    const config = readConfig(process.env)
    return startServer(config, {
      osKeyStore: await connectKeyStore(process.parentPort),
      // The store can no longer persist what it acknowledges. Exit, so that the next start reads the state
      // from disk.
      onFatal: (error) => {
        process.stderr.write(`Stopped: ${error.message}\n`)
        process.exit(1)
      },
    })
  },
  exit: (code) => process.exit(code),
})
