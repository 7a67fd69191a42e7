// @ts-check
// Loaded before the service. After the message `leak`, each request leaves 1 KiB in memory: the control that shows that
// the test for a trend finds a leak.
import { subscribe } from 'node:diagnostics_channel'
import { isMainThread } from 'node:worker_threads'

/** @type {unknown[]} */
const leaked = []

// The threads of the service load this file too.
if (isMainThread)
  process.on('message', (message) => {
    if (message !== 'leak') return
    subscribe('http.server.request.start', () => leaked.push(new Array(128).fill(0)))
  })
