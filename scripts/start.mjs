import { ensure } from './ensure.mjs'
import { openConsole } from './lib/open.mjs'
import { at, say, script } from './lib/root.mjs'
import { importFile } from './lib/tool.mjs'

/**
 * `npm start`: the service in this process, so signals and the exit code are its own, and the console opened on it once
 * it says where it listens. `--no-open` leaves the opening to you.
 */
await script(async () => {
  await ensure(['server', 'console'])
  if (!process.argv.includes('--no-open')) {
    onAddress((url) => {
      openConsole(url).catch((error) =>
        say(`the console could not be opened (${error.message}); open ${url}`),
      )
    })
  }
  await importFile(at('dist/server/cli.js'))
})

/** The service says `listening on <url>` on stdout; that line is also how this script learns the address. @param {(url: string) => void} tell */
function onAddress(tell) {
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (/** @type {string | Uint8Array} */ chunk, /** @type {any[]} */ ...rest) => {
    const url = /^listening on (http\S+)/m.exec(chunk.toString())?.[1]
    if (url !== undefined) {
      process.stdout.write = write
      setImmediate(tell, url)
    }
    return write(chunk, ...rest)
  }
}
