// @ts-check
// Loaded before the service. After the message `leak`, each request leaks 8 KiB: a control run which shows
// that the trend test finds a leak.
import { subscribe } from 'node:diagnostics_channel'
import { isMainThread } from 'node:worker_threads'

/** @type {unknown[]} */
const leaked = []

// The threads of the service load this file too.
if (isMainThread)
  process.on('message', (message) => {
    if (message !== 'leak') return
    subscribe('http.server.request.start', () => leaked.push(new Array(1024).fill(0)))
  })
