import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TestServer } from '../../support/service.ts'

const day = 86_400_000

/** Returns the SHA-256 of every file of a folder by its path. */
export const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, hash('sha256', readFileSync(file), 'hex')]),
  )

/** Fills a service with rows of most tables: accounts, prompts, runs with sessions, captured texts, audit entries. */
export async function fill(service: TestServer): Promise<void> {
  const calls: readonly (readonly [string, unknown])[] = [
    ['PUT /api/settings', { capture: 'full' }],
    ['POST /api/users', { username: 'edda', password: 'a phrase of edda 1', role: 'editor' }],
    ['POST /api/workspaces', { slug: 'support', name: 'Support · ünïcode 🙂', description: 'a\0b' }],
    ['POST /api/prompts', { key: 'greet/hello', env: 'dev', content: 'Hi {{name}}', tags: ['a', 'b'] }],
    ['POST /api/prompts', { key: 'Greet/Hello', env: 'dev', content: 'It\'s \\ "quoted"\n{{x}}' }],
  ]
  for (const [what, body] of calls) {
    const reply = await service.call(what, { body })
    expect(reply.status, `${what}: ${reply.text}`).toBeLessThan(300)
  }
  const runs = Array.from({ length: 400 }, (_, index) => ({
    source: 'sdk',
    provider: 'openai',
    model: index % 3 === 0 ? 'gpt-5' : 'gpt-5-mini',
    status: index % 7 === 0 ? 'error' : 'ok',
    latency_ms: 12.345 + index,
    created_at: new Date(Date.now() - (index % 40) * day).toISOString(),
    client_run_id: `run-${index}`,
    session_id: index % 5 === 0 ? `s-${index % 4}` : undefined,
    prompt_tokens: index,
    output_tokens: 3,
    input: [{ role: 'user', content: `question ${index}` }],
    output: `answer ${index}`,
  }))
  for (let from = 0; from < runs.length; from += 100) {
    const reply = await service.call('POST /api/runs', { body: runs.slice(from, from + 100) })
    expect(reply.status, reply.text).toBeLessThan(300)
  }
}
