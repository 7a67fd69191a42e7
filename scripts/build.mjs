import { ensure } from './ensure.mjs'
import { script } from './lib/root.mjs'

/**
 * `npm run build`: builds the service, the desktop shell and the console into dist/. sql.js' wasm stays in
 * node_modules.
 */
await script(() => ensure(['server', 'console'], { force: true }))
