import type {} from 'electron'
import { readConfig } from '../server/config.ts'
import { startServer } from '../server/index.ts'
import { borrowKeyStore } from './borrowed-keys.ts'
import { hostService } from './host-service.ts'

/** Entry of the utility process: the service, as plain Node runs it, with a port in place of stdout. */
await hostService({
  port: process.parentPort,
  start: async () => {
    const config = readConfig(process.env)
    return startServer(config, {
      osKeyStore: await borrowKeyStore(process.parentPort),
      // The store can no longer keep what it acknowledges: stop, so that the next start reads the truth from disk.
      onFatal: (error) => {
        process.stderr.write(`Stopped: ${error.message}\n`)
        process.exit(1)
      },
    })
  },
  exit: (code) => process.exit(code),
})
