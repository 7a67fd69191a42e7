import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import type { Route } from './route.ts'
import type { EndpointSteps } from './steps/endpoint-steps.ts'
import type { Params } from './steps/input.ts'
import type { ReplyWithProblem } from './steps/reply-with-problem.ts'
import { createRequestState, type Step } from './steps/request-state.ts'
import { runSteps } from './steps/run-steps.ts'

/** The most frequent requests: the console's check of its session, the fetch of a prompt, the report of runs. */
const hotPaths = ['GET /api/me', 'GET /api/sdk/prompts/:key', 'POST /api/runs'] as const
type HotPath = (typeof hotPaths)[number]

const promptPrefix = '/api/sdk/prompts/'

/** Returns the hot route of a request and its parameters. Null for all other requests. */
export function matchHotRoute(
  method: string,
  url: string,
): { readonly name: HotPath; readonly params: Params } | null {
  const queryStart = url.indexOf('?')
  const path = queryStart === -1 ? url : url.slice(0, queryStart)
  if (method === 'POST') return path === '/api/runs' ? { name: 'POST /api/runs', params: {} } : null
  if (method !== 'GET') return null
  if (path === '/api/me') return { name: 'GET /api/me', params: {} }
  // Only keys in which at most the slashes are encoded. Express decodes all others.
  const encoded = path.startsWith(promptPrefix) ? path.slice(promptPrefix.length) : ''
  if (!/^(?:[\w.~-]|%2F){1,512}$/.test(encoded)) return null
  return { name: 'GET /api/sdk/prompts/:key', params: { key: encoded.replaceAll('%2F', '/') } }
}

export type HotRoutesDeps = {
  readonly routes: readonly Route[]
  readonly steps: EndpointSteps
  readonly commonSteps: readonly Step[]
  readonly replyWithProblem: ReplyWithProblem
  readonly clock: Clock
}

/**
 * Dispatches the hot routes to the steps that Express would run. Through Express they take 2 to 10 % longer
 * (ADR 29, `bench/http.ts`). Returns false for other requests.
 */
export function createHotRoutes({ routes, steps, commonSteps, replyWithProblem, clock }: HotRoutesDeps) {
  const nameOf = ({ endpoint: { method, path } }: Route) => `${method} ${path}`
  const stepsOf = new Map(routes.map((route) => [nameOf(route), [...commonSteps, ...steps.of(route)]]))
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    const match = matchHotRoute(req.method ?? '', req.url ?? '')
    const routeSteps = match === null ? undefined : stepsOf.get(match.name)
    if (match === null || routeSteps === undefined) return false
    const request = Object.assign(req, { params: match.params })
    const response = Object.assign(res, { locals: createRequestState(req, clock) })
    runSteps(routeSteps, request, response, (error) => void replyWithProblem(error, request, response))
    return true
  }
}
