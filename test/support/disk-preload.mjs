/**
 * Loaded into every thread of a test (vitest.config.ts): a worker thread uses the simulated disk of the test
 * that starts it.
 */
import { isMainThread } from 'node:worker_threads'
import { installFaults } from './disk-faults.mjs'
import { installSmallDisk } from './small-disk.mjs'

if (!isMainThread) {
  await installFaults()
  await installSmallDisk()
}
