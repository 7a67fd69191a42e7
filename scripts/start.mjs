import { ensure } from './ensure.mjs'
import { bundleFolder } from './lib/build/bundle.mjs'
import { openConsole } from './lib/open.mjs'
import { at, log, script } from './lib/root.mjs'
import { importFile } from './lib/tool.mjs'

/**
 * `npm start`: runs the service in this process, so signals and the exit code are the service's, and opens
 * the console when the service listens. `--no-open` does not open the console.
 */
await script(async () => {
  await ensure(['server', 'console'])
  const [node = '', file = '', ...args] = process.argv
  // The service rejects the others.
  process.argv = [node, file, ...args.filter((argument) => argument !== '--no-open')]
  if (!args.includes('--no-open')) {
    onAddress((url) => {
      openConsole(url).catch((error) =>
        log(`the console could not be opened (${error.message}); open ${url}`),
      )
    })
  }
  await importFile(at(bundleFolder, 'cli.js'))
})

/**
 * Calls `onUrl` with the URL that the service prints to stdout as `listening on <url>`.
 * @param {(url: string) => void} onUrl
 */
function onAddress(onUrl) {
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (/** @type {string | Uint8Array} */ chunk, /** @type {any[]} */ ...rest) => {
    const url = /^listening on (http\S+)/m.exec(chunk.toString())?.[1]
    if (url !== undefined) {
      process.stdout.write = write
      setImmediate(onUrl, url)
    }
    return write(chunk, ...rest)
  }
}
