import { createServer } from 'node:http'
import { Client, renderTemplate } from '@promptdeck/sdk'

/**
 * A small support desk: `GET /reply?customer=Ada` returns a model's reply to the prompt `support/reply`.
 * Publish that prompt in the console, then:
 *
 *   PROMPTDECK_TOKEN=… node support.mjs
 *
 * After you publish another version, the next reply uses it.
 */

const key = 'support/reply'
const client = new Client({
  appName: 'support-desk',
  // Lets the desk reply even if it starts while the service is down.
  fallbacks: { [key]: 'Write a friendly first reply to {{customer}}.' },
})

client.on('connect', () => console.log('connected: new versions are used as soon as they are published'))
client.on('disconnect', ({ code, reason }) => console.log(`disconnected (${code} ${reason}), trying again`))
client.on('update', ({ version, previousVersion }) => console.log(`${key}: ${previousVersion} → ${version}`))
client.on('error', ({ error }) => console.error(`${error.code}: ${error.message}`))

await client.watch([key])

/** Placeholder for a call of your model. */
const ask = async (text) => ({ text: `(a model's answer to: ${text})`, tokens: text.split(/\s+/).length })

async function reply(customer) {
  const { version, content, variables } = await client.getPrompt(key)
  const text = renderTemplate(content, { customer }, variables)
  const call = client.wrap(ask, {
    ref_key: key,
    version,
    provider: 'example',
    model: 'parrot-1',
    usage: ({ tokens }) => ({ prompt_tokens: tokens }),
  })
  return (await call(text)).text
}

const server = createServer(async (req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://desk')
  if (pathname !== '/reply') {
    res.writeHead(404).end('GET /reply?customer=<name>\n')
    return
  }
  try {
    res.end(`${await reply(searchParams.get('customer') ?? 'a customer')}\n`)
  } catch (error) {
    console.error(error)
    res.writeHead(500).end('No reply could be written.\n')
  }
})
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/reply?customer=Ada`),
)

process.once('SIGINT', async () => {
  server.close()
  const unsent = await client.close()
  if (unsent > 0) console.error(`${unsent} reports could not be sent`)
  process.exit(0)
})
