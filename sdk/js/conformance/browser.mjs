import * as sdk from '../dist/browser.js'
import { createOps } from './ops.mjs'

/**
 * The adapter as a script of a page: `adapter.answer(request)` answers as one line of the Node adapter would; what clients emit
 * is handed to `adapter.tell` if the page has set it, and kept in `adapter.told` either way.
 */
const adapter = {
  told: [],
  tell: null,
  answer: createOps(sdk, {
    language: 'browser',
    features: [],
    // A page can count neither.
    stats: () => ({ timers_or_threads: 0, sockets: 0 }),
    tell(event) {
      adapter.told.push(event)
      adapter.tell?.(event)
    },
  }),
}
globalThis.adapter = adapter
