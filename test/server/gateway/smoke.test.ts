import { afterAll, beforeAll, expect, it } from 'vitest'
import OpenAI from 'openai'
import { type GatewayTest, startGateway } from './gateway-support.ts'
let gateway: GatewayTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())
it('works', async () => {
  const res = await fetch(`${gateway.server.url}/gateway/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi world' }] }),
  })
  console.log(res.status, [...res.headers], await res.text())
  console.log(await gateway.run(res.headers.get('promptdeck-run-id')))
  const client = new OpenAI({ apiKey: gateway.token, baseURL: `${gateway.server.url}/gateway/openai/v1` })
  const stream = await client.chat.completions.create({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'Hi world' }] }).withResponse()
  for await (const chunk of stream.data) console.log(JSON.stringify(chunk))
  console.log(await gateway.run(stream.response.headers.get('promptdeck-run-id')))
})
