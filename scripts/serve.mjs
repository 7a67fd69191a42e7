import { ensure } from './ensure.mjs'
import { bundleFolder } from './lib/build/bundle.mjs'
import { at, script } from './lib/root.mjs'
import { importFile } from './lib/tool.mjs'

/** `npm run serve`: runs the service in this process, so signals and the exit code are the service's. */
await script(async () => {
  await ensure(['server', 'console'])
  await importFile(at(bundleFolder, 'cli.js'))
})
