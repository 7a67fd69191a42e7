import { afterEach, beforeEach } from 'vitest'
import { createCalls } from '../../../server/calls/calls.ts'
import type { RecordCall } from '../../../server/calls/intents/record.ts'
import { recoverCalls } from '../../../server/calls/intents/recover.ts'
import type { CallRequest } from '../../../server/calls/request/call.ts'
import type { CountTokens } from '../../../server/calls/result/usage.ts'
import { newUuid } from '../../../server/lib/ids.ts'
import type { ModelEvent, Models } from '../../../server/models/model.ts'
import { openRunLog, type RunLog } from '../runs/runs-support.ts'

export let log: RunLog

export const errors: unknown[] = []

export const replying = (
  generate: () => AsyncIterable<ModelEvent>,
  defaultModel: string | null = null,
): Models => ({
  find: (name) => ({ name, defaultModel, isConfigured: true, generate }),
})

/** Returns models that emit these events, then end or throw. */
export const emitting = (events: readonly ModelEvent[], failure?: unknown): Models =>
  replying(async function* () {
    yield* events
    if (failure !== undefined) throw failure
  }, 'm')

export const end: Extract<ModelEvent, { type: 'end' }> = { type: 'end', finishReason: 'stop', usage: null }

export const delta = (text: string): ModelEvent => ({ type: 'delta', text })

export const request: CallRequest = {
  source: 'workflow',
  workspaceId: 'w-sales',
  refKey: 'greet',
  version: 'v2',
  env: 'prod',
  context: {},
  parentId: 'trace-7',
  provider: 'openai',
  model: 'gpt-4o',
  messages: [],
  template: 'Hi {{who}}',
  variables: { who: 'world' },
  placeholders: {},
  declared: [],
  params: { temperature: 0.2 },
  tools: [],
  responseSchema: null,
  isJson: false,
  capture: null,
}

const countLengths: CountTokens = async (texts) => texts.map(({ length }) => length)

export const callsWith = (
  models: Models,
  record: RecordCall = log.runs.record,
  count: CountTokens = countLengths,
) =>
  createCalls({
    db: log.db,
    models,
    record,
    count,
    clock: { now: () => new Date(log.now) },
    newId: newUuid,
    instanceId: 'instance-1',
    onRun: () => {},
    onError: (error) => errors.push(error),
  })

export const neverAborted = () => new AbortController().signal

export const call = (calls: ReturnType<typeof callsWith>, overrides: Partial<CallRequest> = {}) =>
  calls.call(log.ctx(), { ...request, ...overrides }, neverAborted())

export const intents = () => log.db.read.selectFrom('call_intents').selectAll().execute()

export const runs = async () => (await log.runs.list(log.ctx(), { limit: 200 })).data

export const recover = (record: RecordCall = log.runs.record, instanceIds: readonly string[] | null = null) =>
  recoverCalls({ db: log.db, record, now: () => new Date(log.now), instanceIds })

/** Opens a run log before each test of the calling file or group and closes it after the test. */
export function setUpLog(): void {
  beforeEach(async () => {
    errors.length = 0
    log = await openRunLog()
  })
  afterEach(() => log.close())
}
