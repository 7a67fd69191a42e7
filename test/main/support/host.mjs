import { EventEmitter } from 'node:events'
import { pathToFileURL } from 'node:url'

// Replaces Electron's utility process: gives the built service host its port, and exits with its parent.
const port = new EventEmitter()
process.parentPort = Object.assign(port, { postMessage: (message) => process.send(message) })
process.on('message', (data) => port.emit('message', { data }))
process.on('disconnect', () => process.exit(1))
await import(pathToFileURL(process.argv[2]).href)
