import type { RunReport } from '../../contract/runs/run.ts'
import { dayMs, hourMs } from '../lib/durations.ts'

/** A pseudorandom number generator (mulberry32). The same seed gives the same data. */
export type Random = () => number

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const seedUsers = [
  { username: 'edda', role: 'admin' },
  { username: 'finn', role: 'editor' },
  { username: 'greta', role: 'editor' },
  { username: 'hugo', role: 'editor' },
  { username: 'ines', role: 'viewer' },
  { username: 'jonas', role: 'viewer' },
  { username: 'support-bot', role: 'viewer' },
  { username: 'billing-service', role: 'viewer' },
] as const

export const seedWorkspaces = [
  {
    name: 'Customer support',
    slug: 'customer-support',
    description: 'Answers, triage and summaries for tickets',
  },
  { name: 'Sales', slug: 'sales', description: 'Offers and follow-ups' },
  { name: 'Search', slug: 'search', description: 'Query rewriting and reranking' },
  { name: 'Research lab', slug: 'research-lab', description: 'Things tried out' },
] as const

type Weighted<T> = readonly (readonly [weight: number, value: T])[]

type Model = {
  readonly provider: string
  readonly model: string
  /** Typical latency in milliseconds, and typical number of output tokens. */
  readonly latencyMs: number
  readonly tokens: number
  /** Share of failed runs, from 0 to 1. */
  readonly failing: number
}

const models: Weighted<Model> = [
  [26, { provider: 'openai', model: 'gpt-4o-mini', latencyMs: 620, tokens: 180, failing: 0.012 }],
  [17, { provider: 'openai', model: 'gpt-4o', latencyMs: 1400, tokens: 260, failing: 0.018 }],
  [6, { provider: 'openai', model: 'gpt-4.1', latencyMs: 1700, tokens: 340, failing: 0.015 }],
  [14, { provider: 'claude', model: 'claude-sonnet-4-5', latencyMs: 1900, tokens: 420, failing: 0.02 }],
  [9, { provider: 'claude', model: 'claude-haiku-4-5', latencyMs: 700, tokens: 210, failing: 0.012 }],
  [2, { provider: 'claude', model: 'claude-opus-4-1', latencyMs: 4200, tokens: 700, failing: 0.03 }],
  [11, { provider: 'gemini', model: 'gemini-2.5-flash', latencyMs: 540, tokens: 190, failing: 0.025 }],
  [4, { provider: 'gemini', model: 'gemini-2.5-pro', latencyMs: 2600, tokens: 480, failing: 0.03 }],
  [7, { provider: 'ollama', model: 'llama3.1:8b', latencyMs: 3100, tokens: 240, failing: 0.04 }],
  [3, { provider: 'ollama', model: 'qwen2.5:14b', latencyMs: 5200, tokens: 260, failing: 0.05 }],
  [
    1,
    { provider: 'openai-compatible', model: 'house-finetune-7', latencyMs: 900, tokens: 150, failing: 0.08 },
  ],
]

const sources: Weighted<string> = [
  [70, 'sdk'],
  [14, 'agent'],
  [11, 'workflow'],
  [5, 'playground'],
]

const prompts: Weighted<readonly [key: string, workspace: string]> = [
  [22, ['support/triage', 'customer-support']],
  [15, ['support/answer', 'customer-support']],
  [8, ['support/summary', 'customer-support']],
  [5, ['support/tone-check', 'customer-support']],
  [9, ['sales/offer', 'sales']],
  [6, ['sales/follow-up', 'sales']],
  [3, ['sales/call-notes', 'sales']],
  [12, ['search/rewrite', 'search']],
  [7, ['search/rerank', 'search']],
  [4, ['search/answer-box', 'search']],
  [3, ['greet', 'default']],
  [2, ['translate', 'default']],
  [2, ['classify-intent', 'default']],
  [1, ['lab/long-context', 'research-lab']],
  [1, ['lab/chain-of-checks', 'research-lab']],
]

/** The keys of the seeded prompts, without weights. */
export const seedKeys = prompts.map(([, [key, workspace]]) => ({ key, workspace }))

const failures: Weighted<(random: Random) => string> = [
  [30, () => 'Rate limit reached: try again in a few seconds'],
  [22, () => 'The model did not respond within 30 s'],
  [14, () => 'The service is overloaded'],
  [10, () => 'Connection reset by the provider'],
  [8, () => 'Context length exceeded: 131,072 tokens allowed'],
  [6, () => 'The response was stopped by the content filter'],
  [10, (random) => `Internal error at the provider (request req_${Math.floor(random() * 1e9).toString(36)})`],
]

const seedEnvironments: Weighted<'dev' | 'test' | 'prod'> = [
  [80, 'prod'],
  [12, 'test'],
  [8, 'dev'],
]

const apps: Weighted<string> = [
  [40, 'helpdesk'],
  [25, 'storefront'],
  [20, 'search-api'],
  [15, 'back-office'],
]

const tagSets: Weighted<string[]> = [
  [5, ['beta']],
  [3, ['eu']],
  [2, ['beta', 'eu']],
]

/** Length of a conversation in the sample data. */
const sessionMs = hourMs

function pick<T>(random: Random, from: Weighted<T>): T {
  let rest = random() * from.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, value] of from) {
    rest -= weight
    if (rest <= 0) return value
  }
  const [, last] = from[from.length - 1] as readonly [number, T]
  return last
}

/** Returns a log-normally distributed number: most values near `median`, with a long tail above. */
function logNormal(random: Random, median: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return median * Math.exp(normal * sigma)
}

/** Returns one run as an app would report it at `at`, in epoch milliseconds. */
export function seedRun(random: Random, at: number): RunReport {
  const { provider, model, latencyMs, tokens, failing } = pick(random, models)
  const [refKey, workspace] = pick(random, prompts)
  const hasFailed = random() < failing
  const promptTokens = Math.ceil(logNormal(random, 700, 0.9))
  const outputTokens = hasFailed ? null : Math.ceil(logNormal(random, tokens, 0.7))
  const latency = Math.min(120_000, Math.round(logNormal(random, latencyMs, 0.55)))
  return {
    provider,
    model,
    latency_ms: latency,
    ttft_ms: hasFailed ? null : Math.round(latency * (0.1 + random() * 0.3)),
    status: hasFailed ? 'error' : 'ok',
    error: hasFailed ? pick(random, failures)(random) : null,
    source: pick(random, sources),
    ref_key: random() < 0.94 ? refKey : null,
    env: random() < 0.05 ? null : pick(random, seedEnvironments),
    app: pick(random, apps),
    session_id:
      random() < 0.3 ? `conversation-${Math.floor(at / sessionMs)}-${Math.floor(random() * 4)}` : null,
    end_user: random() < 0.3 ? `user-${Math.floor(random() * 200)}` : null,
    tags: random() < 0.2 ? pick(random, tagSets) : null,
    version: `v${1 + Math.floor(random() * random() * 9)}`,
    workspace_id: workspace,
    prompt_tokens: promptTokens,
    output_tokens: outputTokens,
    tokens_estimated: provider === 'ollama',
    finish_reason: hasFailed ? null : random() < 0.96 ? 'stop' : 'length',
    created_at: new Date(at).toISOString(),
  }
}

/**
 * Returns the weight of an hour: high in office hours on working days, low at night, slowly rising over the
 * range.
 */
function hourWeight(start: number, from: number, to: number): number {
  const date = new Date(start)
  const hour = date.getUTCHours()
  const isWeekend = date.getUTCDay() % 6 === 0
  const wave = 0.25 + Math.max(0, Math.sin(((hour - 5) / 15) * Math.PI)) * (hour >= 5 && hour <= 20 ? 1 : 0)
  return wave * (isWeekend ? 0.35 : 1) * (0.7 + (0.6 * (start - from)) / (to - from))
}

/** Yields the times of `count` runs over the days before `now`, oldest first. */
export function* seedTimes(random: Random, count: number, days: number, now: number): Generator<number> {
  // One hour of margin: the oldest run must still be within retention when the last one is stored, minutes
  // from now.
  const from = now - days * dayMs + hourMs
  const hours: { start: number; end: number; weight: number }[] = []
  for (let start = from; start < now; start += hourMs) {
    hours.push({ start, end: Math.min(now, start + hourMs), weight: hourWeight(start, from, now) })
  }
  const total = hours.reduce((sum, { weight }) => sum + weight, 0)
  let yielded = 0
  let due = 0
  for (const { start, end, weight } of hours) {
    due += (count * weight) / total
    const times: number[] = []
    while (yielded < Math.round(due)) {
      times.push(Math.floor(start + random() * (end - start)))
      yielded += 1
    }
    yield* times.sort((a, b) => a - b)
  }
}
