import { type ApiClient, ApiError } from '../../../contract/client.ts'
import type { Random } from '../../../server/tools/seed-data.ts'
import type { Ledger } from './ledger.ts'
import { batchSize, type KnownRun, toKnown } from './runs.ts'

export type Load = {
  readonly api: ApiClient
  readonly ledger: Ledger
  readonly runs: Map<number, KnownRun>
  readonly random: Random
  /** Makes all names of this round unique. */
  readonly round: number
  readonly isOver: () => boolean
  /** Called with each published version that was acknowledged. */
  readonly onPublished: (promptId: string, version: string) => void
}

type Step = (iteration: number) => Promise<void>

/** Repeats `step` until the service is killed. Returns 1 if the last request got no reply. */
async function worker({ isOver }: Load, step: Step): Promise<number> {
  for (let iteration = 0; !isOver(); iteration++) {
    try {
      await step(iteration)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 0) throw error
      return 1
    }
  }
  return 0
}

const report = (model: string, refKey: string, latency: number) => ({
  provider: 'mock',
  model,
  ref_key: refKey,
  latency_ms: latency,
  status: 'ok' as const,
})

function ingest({ api, runs, round }: Load, index: number): Step {
  return async (iteration) => {
    const body = report(`single-${round}-${index}`, `crash/${round}-${index}-${iteration}`, iteration)
    const { data } = await api.runs.report({ body })
    if (!Array.isArray(data)) runs.set(data.id, toKnown(data))
  }
}

/** Each run of a batch has its own key, so that names are constantly added and looked up. */
function ingestBatches({ api, runs, round }: Load): Step {
  return async (iteration) => {
    const model = `batch-${round}-${iteration}`
    const body = Array.from({ length: batchSize }, (_, n) => report(model, `crash/${model}-${n}`, n))
    const { data } = await api.runs.report({ body })
    if (!Array.isArray(data)) throw new Error('a batch is answered with a list')
    for (const [n, { id }] of data.entries())
      runs.set(id, { id, model, ref_key: `crash/${model}-${n}`, latency_ms: n })
  }
}

/** A model call by the service: its intent is on disk before the call, its run afterwards. */
function call({ api, runs }: Load): Step {
  return async () => {
    const { run } = await api.playground.run({ body: { content: 'Hello', variables: {}, provider: 'mock' } })
    runs.set(run.id, toKnown(run))
  }
}

function workspaces({ api, ledger, round }: Load): Step {
  return async (iteration) => {
    const name = `W ${round} ${iteration}`
    const { data } = await api.workspaces.create({ body: { name } })
    const key = `workspace:${data.id}`
    const params = { id: data.id }
    ledger.created(key, { name, description: data.description })
    const description = `described in round ${round}`
    await ledger.attempt(key, { name, description }, () =>
      api.workspaces.update({ params, body: { description } }),
    )
    if (iteration % 3 === 0) await ledger.attempt(key, 'gone', () => api.workspaces.remove({ params }))
  }
}

function prompts({ api, ledger, round, onPublished }: Load): Step {
  return async (iteration) => {
    const first = `first ${round}-${iteration}`
    const { data } = await api.prompts.create({
      body: { key: `crash/${round}/${iteration}`, name: 'Crash', content: first, env: 'prod' },
    })
    const key = `prompt:${data.id}`
    const params = { id: data.id }
    ledger.created(key, { content: first, served: first })
    onPublished(data.id, 'v1')
    const second = `second ${round}-${iteration}`
    await ledger.attempt(key, { content: second, served: first }, () =>
      api.prompts.update({ params, body: { content: second } }),
    )
    await ledger.attempt(key, { content: second, served: second }, () =>
      api.promptVersions.publish({ params, body: {} }),
    )
    onPublished(data.id, 'v2')
    await ledger.attempt(key, { content: first, served: first }, () =>
      api.promptVersions.rollback({ params, body: { version: 'v1' } }),
    )
    onPublished(data.id, 'v3')
    if (iteration % 2 === 0) {
      const { data: promoted } = await api.promptVersions.promote({ params, body: { env: 'test' } })
      ledger.created(`prompt:${promoted.id}`, { content: first, served: first })
    }
    if (iteration % 3 !== 0) return
    await ledger.attempt(key, 'gone', () => api.prompts.remove({ params }))
    await ledger.attempt(key, { content: first, served: first }, () => api.prompts.restore({ params }))
  }
}

function definitions({ api, ledger, round }: Load): Step {
  return async (iteration) => {
    const key = `crash-${round}-${iteration}`
    const { data: agent } = await api.agents.create({
      body: { key, name: 'Crash', content: 'one', provider: 'mock' },
    })
    ledger.created(`agent:${agent.id}`, { content: 'one' })
    await ledger.attempt(`agent:${agent.id}`, { content: 'two' }, () =>
      api.agents.update({ params: { id: agent.id }, body: { content: 'two' } }),
    )
    const steps = [{ name: 'greet', type: 'render' as const, template: 'Hello {{name}}' }]
    const { data: workflow } = await api.workflows.create({ body: { key, name: 'Crash', steps } })
    const params = { id: workflow.id }
    ledger.created(`workflow:${workflow.id}`, { name: 'Crash' })
    await ledger.attempt(`workflow:${workflow.id}`, { name: 'Renamed' }, () =>
      api.workflows.update({ params, body: { name: 'Renamed' } }),
    )
    await api.workflowRuns.run({ params, body: { variables: { name: 'Ada' } } })
    if (iteration % 2 === 0)
      await ledger.attempt(`workflow:${workflow.id}`, 'gone', () => api.workflows.remove({ params }))
  }
}

/** Changes accounts and settings. Only one user per round, because hashing a password is slow. */
function administration({ api, ledger, round, random }: Load): Step {
  return async (iteration) => {
    const days = 1 + Math.floor(random() * 90)
    await ledger.attempt('setting:all', { payload_retention_days: days }, () =>
      api.settings.update({ body: { payload_retention_days: days } }),
    )
    const models = [`m-${round}-${iteration}`]
    await ledger.attempt('provider:ollama', { models }, () =>
      api.providers.update({ params: { name: 'ollama' }, body: { models } }),
    )
    const name = `token-${round}-${iteration}`
    const { data: token } = await api.tokens.create({ body: { name, role: 'viewer' } })
    const key = `token:${token.id}|${name}`
    ledger.created(key, { name })
    if (iteration % 4 !== 0)
      await ledger.attempt(key, 'gone', () => api.tokens.revoke({ params: { id: token.id } }))
    if (iteration > 0) return
    const body = { username: `u${round}`, password: `a phrase of round ${round}`, role: 'viewer' as const }
    const { data: user } = await api.users.create({ body })
    ledger.created(`user:${user.id}`, { role: 'viewer', disabled: false })
    await ledger.attempt(`user:${user.id}`, { role: 'editor', disabled: false }, () =>
      api.users.update({ params: { id: user.id }, body: { role: 'editor' } }),
    )
  }
}

/** Everything that a read returns is durable: the newest returned run must survive. */
function reads({ api, runs }: Load): Step {
  return async () => {
    const { data } = await api.runs.list({ query: { limit: 1 } })
    for (const run of data) runs.set(run.id, toKnown(run))
  }
}

/** Starts a worker per kind of load. Resolves after the kill with the number of requests without a reply. */
export async function startLoad(load: Load): Promise<number> {
  const steps = [
    ingest(load, 0),
    ingest(load, 1),
    ingestBatches(load),
    ingestBatches({ ...load, round: load.round + 0.5 }),
    call(load),
    workspaces(load),
    prompts(load),
    definitions(load),
    administration(load),
    reads(load),
  ]
  const lost = await Promise.all(steps.map((step) => worker(load, step)))
  return lost.reduce((sum, each) => sum + each, 0)
}
