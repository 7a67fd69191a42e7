import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { listen } from '../http/loopback.ts'
import { answerTo } from './answer.ts'
import { anthropic } from './anthropic.ts'
import { embeddingReply } from './embeddings.ts'
import { gemini } from './gemini.ts'
import { modelList } from './model-list.ts'
import { ollama } from './ollama.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Plan } from './plan.ts'
import { streamed } from './streamed.ts'
import type { Json, Wire } from './wire.ts'

const wires: readonly Wire[] = [openaiChat, openaiResponses, anthropic, gemini, ollama]

export type ReceivedRequest = {
  readonly wire: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Json
  /** Resolves when the reply has ended: true if the client disconnected before it was complete. */
  readonly disconnected: Promise<boolean>
}

export type ModelServer = {
  /** `http://127.0.0.1:<port>`; the protocols have their usual paths below it: /v1, /v1beta, /api. */
  readonly url: string
  readonly seen: readonly ReceivedRequest[]
  /** Resolves with the request at index `at` once it has arrived. */
  request(at: number): Promise<ReceivedRequest>
  /** Sets the plans of the next requests, in order; later requests use the default. */
  plan(...plans: readonly Plan[]): void
  /** Sets the plan of every request without a plan of its own. */
  always(plan: Plan): void
  /** Number of open requests, and its maximum. */
  readonly open: { readonly now: number; readonly max: number }
  reset(): void
  close(): Promise<void>
}

type State = {
  readonly key: string | undefined
  readonly seen: ReceivedRequest[]
  readonly waiting: { readonly at: number; readonly resolve: (request: ReceivedRequest) => void }[]
  readonly open: { now: number; max: number }
  plans: Plan[]
  defaultPlan: Plan
}

/**
 * Starts a local model provider with the protocols of OpenAI (Chat Completions and Responses), Anthropic
 * Messages, Gemini and Ollama, streamed and complete, with faults on request. If `key` is set, each protocol
 * except Ollama's requires it.
 */
export async function startModelServer(options: { readonly key?: string } = {}): Promise<ModelServer> {
  const open = { now: 0, max: 0 }
  const state: State = { key: options.key, seen: [], waiting: [], open, plans: [], defaultPlan: {} }
  const server = createServer((req, res) => {
    answer(state, req, res).catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined))
  })
  return {
    ...(await listen(server)),
    seen: state.seen,
    request(at) {
      const known = state.seen[at]
      if (known !== undefined) return Promise.resolve(known)
      return new Promise((resolve) => state.waiting.push({ at, resolve }))
    },
    plan(...next) {
      state.plans = [...next]
    },
    always(plan) {
      state.defaultPlan = plan
    },
    open,
    reset: () => reset(state),
  }
}

function reset(state: State): void {
  state.seen.length = 0
  state.waiting.length = 0
  state.plans = []
  state.defaultPlan = {}
  state.open.max = state.open.now
}

async function answer(state: State, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname } = new URL(req.url ?? '/', 'http://local')
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const list = modelList(req.method ?? '', pathname, req.headers)
  if (list !== null) return sendJson(res, 200, list)
  const embedding = embeddingReply(req.method ?? '', pathname)
  if (embedding !== null) return sendJson(res, 200, embedding)
  const wire = wires.find((candidate) => candidate.matches(req.method ?? '', pathname, req.headers))
  if (wire === undefined) return sendJson(res, 404, { error: { message: `Unknown path ${pathname}` } })
  const body: Json = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const disconnected = once(res, 'close').then(() => !res.writableFinished)
  const received: ReceivedRequest = {
    wire: wire.name,
    path: pathname,
    headers: req.headers,
    body,
    disconnected,
  }
  record(state, received, res)
  const plan = state.plans.shift() ?? state.defaultPlan
  if (applyFault(res, plan)) return
  const refusal = refusalOf(state, wire, received, plan)
  if (refusal === null) await reply(wire, received, res, plan)
  else sendJson(res, refusal.status, plan.body ?? wire.refusal(refusal), plan.headers)
}

function record({ seen, waiting, open }: State, received: ReceivedRequest, res: ServerResponse): void {
  seen.push(received)
  open.now += 1
  open.max = Math.max(open.max, open.now)
  res.once('close', () => {
    open.now -= 1
  })
  for (const { at, resolve } of waiting) if (at === seen.length - 1) resolve(received)
}

/** Applies the fault of a plan; returns true if the fault replaces the reply. */
function applyFault(res: ServerResponse, { fault }: Plan): boolean {
  if (fault === 'reset') res.destroy()
  else if (fault === 'page')
    res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please sign in</html>')
  else return fault === 'silent'
  return true
}

/** Returns the error that the plan demands or the request causes, or null. */
function refusalOf(
  state: State,
  wire: Wire,
  { body, headers }: ReceivedRequest,
  { status, message }: Plan,
): { status: number; message: string } | null {
  if (status !== undefined) return { status, message: message ?? 'The model server was told to' }
  if (state.key !== undefined && wire !== ollama && wire.key(headers) !== state.key) {
    return { status: 401, message: `Incorrect API key provided: ${wire.key(headers) ?? 'none'}.` }
  }
  const violation = wire.violation(body, headers)
  return violation === null ? null : { status: 400, message: violation }
}

async function reply(
  wire: Wire,
  { body, path }: ReceivedRequest,
  res: ServerResponse,
  plan: Plan,
): Promise<void> {
  const request = wire.read(body, path)
  const result = answerTo(request, plan)
  if (request.stream) return streamed(wire, request, result, res, plan)
  await pause(plan.paceMs ?? 0)
  sendJson(res, 200, wire.complete(request, result), plan.headers)
}

function sendJson(
  res: ServerResponse,
  status: number,
  body: Json | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  res.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...headers }).end(text)
}
