import { expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'

setUpService(undefined, { env: { MAX_STORE_MB: '64' } })

it.each(['prompts', 'agents', 'workflows'])(
  'a page of long %s ends early, and the next one continues',
  async (noun) => {
    const workspace_id = (await server.call('POST /api/workspaces', { body: { name: `Long ${noun}` } })).body
      .data.slug
    const text = 'x'.repeat(200_000)
    const bodies: Record<string, object> = {
      prompts: { content: text },
      agents: { content: text, messages: [0, 1, 2].map(() => ({ role: 'user', content: text })) },
      workflows: { steps: ['a', 'b', 'c'].map((name) => ({ type: 'render', name, template: text })) },
    }
    const made = [...Array(24).keys()].map((n) => `long-${String(n).padStart(2, '0')}`)
    for (const key of made) {
      const reply = await server.call(`POST /api/${noun}`, { body: { key, workspace_id, ...bodies[noun] } })
      expect(reply.status).toBe(201)
    }
    const found: string[] = []
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const page = await server.call(`GET /api/${noun}?workspace=${workspace_id}&limit=200&cursor=${cursor}`)
      expect(page.body.total).toBe(made.length)
      expect(page.text.length).toBeLessThan(10 * 1024 * 1024)
      found.push(...page.body.data.map(({ key }: { key: string }) => key))
      cursor = page.body.next_cursor
    }
    expect(found).toEqual(made)
    expect(pages).toBeGreaterThan(1)
  },
)
