import { Router } from 'express'
import type { Endpoint, Method } from '../../../contract/common/endpoint.ts'
import { fail } from '../../lib/fail.ts'
import type { Route } from '../route.ts'
import type { EndpointSteps } from '../steps/endpoint-steps.ts'
import type { Step } from '../steps/request-state.ts'
import { createPreparePath, unknownPath } from './path.ts'
import { bySpecificity } from './specificity.ts'

const options = { caseSensitive: true, strict: true } as const

/**
 * Creates the router of /api: one router per noun with the routes of the endpoint tables. A path without a
 * route is 404 and a wrong method 405, both for authenticated callers only.
 */
export function createApiRouter(routes: readonly Route[], steps: EndpointSteps): Router {
  const api = Router(options)
  api.use(createPreparePath(steps.authenticate))
  for (const [noun, nounRoutes] of groupBy(routes, ({ endpoint }) => nounOf(endpoint)))
    api.use(`/${noun}`, createNounRouter(`/api/${noun}`, nounRoutes, steps))
  api.use(steps.authenticate)
  api.use(rejectUnknownPath)
  return api
}

/** Returns `users` for `/api/users/:id`. */
const nounOf = ({ path }: Endpoint): string => path.split('/')[2] ?? ''

/** Creates the router of one noun. `base`: the part of its paths that the caller has removed. */
export function createNounRouter(base: string, routes: readonly Route[], steps: EndpointSteps): Router {
  const router = Router(options)
  const sorted = routes.toSorted(bySpecificity)
  const pathOf = ({ path }: Endpoint) => path.slice(base.length) || '/'
  for (const route of sorted) {
    const { endpoint } = route
    const methods: Method[] = endpoint.alias ? [endpoint.method, endpoint.alias] : [endpoint.method]
    for (const method of methods) router.route(pathOf(endpoint))[verbs[method]](...steps.of(route))
  }
  for (const [path, pathRoutes] of groupBy(sorted, ({ endpoint }) => pathOf(endpoint)))
    router.all(path, steps.authenticate, rejectMethod(pathRoutes.flatMap(methodsOf)))
  return router
}

function groupBy(routes: readonly Route[], keyOf: (route: Route) => string): Map<string, Route[]> {
  const groups = new Map<string, Route[]>()
  for (const route of routes) groups.set(keyOf(route), [...(groups.get(keyOf(route)) ?? []), route])
  return groups
}

const verbs = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const

/** A stream of events replies to no HEAD. */
const methodsOf = ({ endpoint: { method, alias, replyAs } }: Route): string[] => [
  method,
  ...(alias ? [alias] : []),
  ...(method === 'GET' && replyAs !== 'stream' ? ['HEAD'] : []),
]

const rejectMethod = (allow: readonly string[]): Step => {
  return () => {
    throw fail('method_not_allowed', { allow })
  }
}

const rejectUnknownPath: Step = () => {
  throw unknownPath()
}
