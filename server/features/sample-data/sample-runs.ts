import type { RunReport } from '../../../contract/runs/run.ts'
import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts'
import {
  conversations,
  failureTexts,
  incident,
  sampleApps,
  sampleModels,
  sampleTagSets,
  sampleTasks,
} from './sample-run-texts.ts'

/** Age of the oldest sample run, in days. */
export const sampleDays = 7
/** Number of single runs, and of conversations with several runs. */
const singleCount = 300
const conversationCount = 40
/** No sample run is newer, so that live lists do not begin with them. */
const newestAgeMs = 5 * minuteMs

/** Returns the beginning of the `client_run_id` of all sample runs. */
export const runPrefix = (workspaceId: string): string => `sample-data/${workspaceId}/`

/** Returns a number from 0 (included) to 1 (excluded). The same index and salt give the same number. */
function hashOf(index: number, salt: number): number {
  let mixed = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296
}

function pick<T>(from: readonly T[], share: number): T {
  const item = from[Math.min(from.length - 1, Math.floor(share * from.length))]
  if (item === undefined) throw new Error('Nothing to choose from')
  return item
}

type Place = { readonly workspaceId: string; readonly now: Date; readonly days: number }

/** Returns the time of a run in epoch milliseconds: mostly in working hours (UTC), never in the future. */
function timeOf(index: number, { now, days }: Place): number {
  const newest = now.getTime() - newestAgeMs
  const oldest = now.getTime() - days * dayMs + hourMs
  const dayStart = Math.floor((newest - hashOf(index, 1) * days * dayMs) / dayMs) * dayMs
  const hour = hashOf(index, 2) < 0.8 ? 7 + hashOf(index, 3) * 11 : hashOf(index, 3) * 24
  const at = dayStart + hour * hourMs
  return Math.floor(at > newest || at < oldest ? oldest + hashOf(index, 4) * (newest - oldest) : at)
}

/** Returns the figures, the environment and the app of a call. */
function callAt(index: number, at: number, { workspaceId }: Place): RunReport {
  const { name: model, provider, latencyMs, outputTokens } = pick(sampleModels, hashOf(index, 5))
  const hasFailed = hashOf(index, 6) < 0.05
  const latency = Math.round(latencyMs * (0.5 + 1.4 * hashOf(index, 7) ** 2))
  const envShare = hashOf(index, 8)
  const error = hasFailed ? pick(failureTexts, hashOf(index, 9)) : null
  return {
    provider,
    model,
    latency_ms: latency,
    ttft_ms: hasFailed ? null : Math.round(latency * 0.3),
    status: hasFailed ? 'error' : 'ok',
    error: error?.text ?? null,
    error_type: error?.type ?? null,
    env: envShare < 0.75 ? 'prod' : envShare < 0.9 ? 'test' : 'dev',
    app: pick(sampleApps, hashOf(index, 10)),
    tags: hashOf(index, 11) < 0.3 ? [...pick(sampleTagSets, hashOf(index, 12))] : null,
    prompt_tokens: Math.round(120 + 900 * hashOf(index, 13)),
    output_tokens: hasFailed ? null : Math.round(outputTokens * (0.4 + 1.2 * hashOf(index, 14))),
    finish_reason: hasFailed ? null : 'stop',
    workspace_id: workspaceId,
    created_at: new Date(at).toISOString(),
  }
}

/** Returns the runs of single calls; most have input and output. */
const singleRuns = (place: Place): RunReport[] =>
  Array.from({ length: singleCount }, (_, index) => {
    const call = callAt(index, timeOf(index, place), place)
    const { key, version, input, output } = pick(sampleTasks, hashOf(index, 15))
    const isCaptured = hashOf(index, 16) < 0.6
    return {
      ...call,
      source: hashOf(index, 17) < 0.1 ? 'agent' : 'sdk',
      ref_key: key,
      version,
      ...(isCaptured && {
        input: [{ role: 'user', content: input }],
        ...(call.status === 'ok' && { output }),
      }),
    }
  })

/** Returns the runs of conversations: each has the messages so far as its input. */
const conversationRuns = (place: Place): RunReport[] =>
  Array.from({ length: conversationCount }, (_, number) => {
    const { turns, key, version } = pick(conversations, hashOf(number, 20))
    const start = timeOf(number + 1000, place) - turns.length * 2 * minuteMs
    return turns.map(({ question, answer }, turn): RunReport => {
      const index = 10_000 + number * 10 + turn
      const before = turns.slice(0, turn).flatMap((earlier) => [
        { role: 'user', content: earlier.question },
        { role: 'assistant', content: earlier.answer },
      ])
      const call = callAt(index, start + turn * 2 * minuteMs, place)
      return {
        ...call,
        app: pick(sampleApps, hashOf(number, 21)),
        ref_key: key,
        version,
        env: 'prod',
        session_id: `sample-conversation-${number + 1}`,
        end_user: `sample-customer-${1 + Math.floor(hashOf(number, 22) * 25)}`,
        input: [...before, { role: 'user', content: question }],
        ...(call.status === 'ok' && { output: answer }),
      }
    })
  }).flat()

/** Returns failed runs of one hour of yesterday, so that there is a cause to find. */
const incidentRuns = (place: Place): RunReport[] => {
  const yesterday = Math.floor(place.now.getTime() / dayMs) * dayMs - dayMs
  const at = Math.max(yesterday + 15 * hourMs, place.now.getTime() - place.days * dayMs + 2 * hourMs)
  return Array.from({ length: incident.count }, (_, index) => ({
    ...callAt(20_000 + index, Math.floor(at + (index * 40 * minuteMs) / incident.count), place),
    ...incident.run,
  }))
}

/** Returns the sample runs, oldest first, as apps would report them. */
export const sampleRuns = (place: Place): RunReport[] =>
  [...singleRuns(place), ...conversationRuns(place), ...incidentRuns(place)]
    .toSorted((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? -1 : 1))
    .map((run, index) => ({ ...run, client_run_id: `${runPrefix(place.workspaceId)}${index}` }))
