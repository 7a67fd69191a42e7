import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ensure } from '../../scripts/ensure.mjs'
import { launchBrowser } from '../support/browser.ts'

const bundle = fileURLToPath(new URL('../../sdk/js/dist/browser.js', import.meta.url))

it('a page that is left sends its queued runs first', async () => {
  await ensure(['sdk'])
  const files: Record<string, readonly [type: string, text: string]> = {
    '/': [
      'text/html',
      '<script type="module">import { Client } from "/sdk.js"; window.Client = Client</script>',
    ],
    '/next': ['text/html', ''],
    '/sdk.js': ['text/javascript', await readFile(bundle, 'utf8')],
  }
  let onReport: (body: string) => void = () => undefined
  const reported = new Promise<string>((resolve) => {
    onReport = resolve
  })
  const server = createServer((request, reply) => {
    const [type, text] = files[request.url ?? ''] ?? ['application/json', '{ "data": [] }']
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      if (request.method === 'POST') onReport(body)
      reply.writeHead(200, { 'content-type': type }).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchBrowser()
  const page = await browser.newPage()
  await page.goto(address)
  await page.evaluate(`
    new Client({ server: '${address}', appName: 'page', timings: { reportMs: 600_000 } })
      .reportRun({ provider: 'p', model: 'left', latency_ms: 1, status: 'ok' })`)
  await page.goto(`${address}/next`)
  expect(JSON.parse(await reported)).toMatchObject([{ model: 'left' }])
  await browser.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
