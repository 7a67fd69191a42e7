import { expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'

setUpService(undefined, { env: { MAX_STORE_MB: '64' } })

const text = 'x'.repeat(200_000)
it.each([
  ['prompts', { content: text }],
  ['agents', { content: text, messages: Array(3).fill({ role: 'user', content: text }) }],
])('a page of long %s ends early, and the next one continues', async (noun, body) => {
  const made = [...Array(24).keys()].map((n) => `long-${10 + n}`)
  for (const key of made) await server.call(`POST /api/${noun}`, { body: { key, ...body } })
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await server.call(`GET /api/${noun}?limit=200&cursor=${cursor}`)
    expect(page.text.length).toBeLessThan(10 * 1024 * 1024)
    pages.push(page.body.data.map(({ key }: { key: string }) => key))
    cursor = page.body.next_cursor
  }
  expect(pages.flat()).toEqual(made)
  expect(pages.length).toBeGreaterThan(1)
})
