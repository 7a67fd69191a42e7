import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { ensure } from '../../scripts/ensure.mjs'
import { launchBrowser } from '../support/browser.ts'

it('a page that is left sends its queued runs first', async () => {
  await ensure(['sdk'])
  const module = await readFile(new URL('../../sdk/js/dist/browser.js', import.meta.url))
  const server = createServer()
  const body = new Promise<string>((resolve) => {
    server.on('request', (request, reply) => {
      if (request.method === 'POST') resolve(text(request))
      const isModule = request.url === '/sdk.js'
      reply.setHeader('content-type', isModule ? 'text/javascript' : 'text/html').end(isModule ? module : '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchBrowser()
  const page = await browser.newPage()
  await page.goto(address)
  await page.evaluate(`import('/sdk.js').then(({ Client }) =>
    new Client({ server: '${address}', appName: 'page', timings: { reportMs: 600_000 } })
      .reportRun({ provider: 'p', model: 'left', latency_ms: 1, status: 'ok' }))`)
  await page.goto(`${address}/next`)
  expect(await body).toContain('"model":"left"')
  await browser.close()
  server.closeAllConnections()
  server.close()
})
