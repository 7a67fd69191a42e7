import { spawn } from 'node:child_process'
import { processAdapter } from '../lib/adapter.mjs'
import { buildJs, root } from './build-js.mjs'

/** Starts the JavaScript client in Node. @returns {Promise<import('../lib/adapter.mjs').Adapter>} */
export async function start() {
  await buildJs()
  // It must have no effect on the client.
  const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' }
  return processAdapter(spawn(process.execPath, ['sdk/js/conformance/adapter.mjs'], { cwd: root, env }))
}
