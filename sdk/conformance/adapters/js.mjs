import { spawn } from 'node:child_process'
import { processAdapter } from '../lib/adapter.mjs'
import { buildJs, root } from './build-js.mjs'

/** Starts the JavaScript client in Node. @returns {Promise<import('../lib/adapter.mjs').Adapter>} */
export async function start() {
  await buildJs()
  return processAdapter(spawn(process.execPath, ['sdk/js/conformance/adapter.mjs'], { cwd: root }))
}
