import { hourMs } from '../../server/lib/durations.ts'
import { createRandom, seedRun } from '../../server/tools/seed-data.ts'
import { post } from '../frame/load.ts'
import type { Process } from '../frame/processes.ts'

export const promptKey = 'billing/refund'
export const fetchPath = `/api/sdk/prompts/${encodeURIComponent(promptKey)}`
const content = `You answer mail about refunds.\n${'Be brief, be kind, name {{customer.name}} and {{amount}}. '.repeat(25)}`

const random = createRandom(7)

/** Returns a report of a run, now or some milliseconds ago. The sequence is the same in every process. */
export function report(agoMs = 0) {
  const at = Date.now() - agoMs
  return {
    ...seedRun(random, at),
    workspace_id: 'default',
    created_at: agoMs === 0 ? null : new Date(at).toISOString(),
  }
}

/** Creates a published prompt, which `fetchPath` returns. */
export const createServedPrompt = (service: Process) =>
  post(service, '/api/prompts', { key: promptKey, env: 'prod', model: 'gpt-4o', content })

/**
 * Stores the contents of the lists: 1,000 runs of 7 days, 60 prompts, users, and their audit entries. Each
 * user takes half a second, because the service hashes a password.
 */
export async function fill(service: Process, users = 60): Promise<void> {
  await createServedPrompt(service)
  for (let n = 0; n < 60; n += 1)
    await post(service, '/api/prompts', {
      key: `team-${n % 4}/prompt-${n}`,
      env: 'dev',
      content,
      model: 'gpt-4o',
      tags: ['all'],
    })
  for (let n = 0; n < users; n += 1)
    await post(service, '/api/users', {
      username: `reader-${n}`,
      password: `phrase of reader ${n} only`,
      role: 'viewer',
    })
  for (let n = 0; n < 10; n += 1)
    await post(
      service,
      '/api/runs',
      Array.from({ length: 100 }, (_, run) => report(1000 + ((n * 100 + run) / 1000) * 167 * hourMs)),
    )
}
