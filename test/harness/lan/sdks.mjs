// @ts-check
// Runs on the teammate's machine: the clients use the server that `promptdeck pair` stored, without any option. Prints
// {"connected":true} when each has rendered a prompt and opened its live connection, and waits for the end of stdin.
import assert from 'node:assert/strict'
import { once } from 'node:events'

const adapters = []
for (const language of ['js', 'python', 'java']) {
  const { start } = await import(`../../../sdk/conformance/adapters/${language}.mjs`)
  const adapter = await start()
  adapters.push(adapter)
  await adapter.request('new', { client: 'a', options: { app_name: `${language}-app`, cache_dir: null } })
  const text = await adapter
    .request('render', { client: 'a', key: 'greet', variables: { who: 'you' } })
    .catch((/** @type {Error} */ error) => assert.fail(`${language}: ${error.message}`))
  assert.equal(text, 'Hi you')
  await adapter.request('watch', { client: 'a' })
}
process.stdout.write('{"connected":true}\n')
process.stdin.resume()
await once(process.stdin, 'end')
for (const adapter of adapters) await adapter.stop()
