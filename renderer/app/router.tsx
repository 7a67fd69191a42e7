import type { QueryClient } from '@tanstack/react-query'
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { z } from 'zod'
import { shellSearch } from '../lib/page/address.ts'
import type { Page } from '../lib/page/resource.ts'
import { parseSearch, stringifySearch, textParam } from '../lib/page/search.ts'
import { asApiError } from '../lib/service/api.ts'
import { basePath } from '../lib/service/base-path.ts'
import { meQuery, mustChangePassword } from '../lib/session/me.ts'
import { session } from '../lib/session/session.ts'
import { PageLoading } from '../ui/feedback/PageLoading.tsx'
import { NotFound } from './NotFound.tsx'
import { manifests } from './resources.ts'
import { PageFailed, StartFailed } from './StartFailed.tsx'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  notFoundComponent: NotFound,
  errorComponent: StartFailed,
})

const loginSearch = z.object({ return: textParam() })
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search) => loginSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/login/LoginPage.tsx'), 'LoginPage'),
})

/** The page on which a new device asks for access. */
const pair = createRoute({
  getParentRoute: () => root,
  path: '/pair',
  component: lazyRouteComponent(() => import('../features/pair/PairPage.tsx'), 'PairPage'),
})

/** A one-time link for a new password. Its token is in the fragment. */
const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: lazyRouteComponent(() => import('../features/login/ResetPage.tsx'), 'ResetPage'),
})

/** Parent of all routes that need a signed-in user. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  errorComponent: StartFailed,
  beforeLoad: async ({ context, location }) => {
    const { token, reason } = session.get()
    const back = location.pathname === '/' ? undefined : location.href
    const toLogin = redirect({ to: '/login', search: { return: reason === 'signed_out' ? undefined : back } })
    if (token === null) throw toLogin
    try {
      return { me: await context.queries.ensureQueryData(meQuery) }
    } catch (error) {
      if (asApiError(error)?.status === 401) throw toLogin
      throw error
    }
  },
})

const password = createRoute({
  getParentRoute: () => signedIn,
  path: '/password',
  validateSearch: (search) => loginSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/profile/MustChangePage.tsx'), 'MustChangePage'),
})

const secondFactor = createRoute({
  getParentRoute: () => signedIn,
  path: '/second-factor',
  validateSearch: (search) => loginSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/profile/MustSetUpPage.tsx'), 'MustSetUpPage'),
})

const shell = createRoute({
  getParentRoute: () => signedIn,
  id: 'shell',
  validateSearch: (search) => shellSearch.parse(search),
  search: {
    middlewares: [
      // A link keeps the current workspace unless it sets `workspace`; undefined clears it.
      ({ search, next }) => {
        const nextSearch = next(search)
        return 'workspace' in nextSearch ? nextSearch : { ...nextSearch, workspace: search.workspace }
      },
    ],
  },
  beforeLoad: async ({ context: { me, queries }, location }) => {
    if (await mustChangePassword(queries, me)) {
      throw redirect({ to: '/password', search: { return: location.href } })
    }
    if (me.must_set_up_second_factor) {
      throw redirect({ to: '/second-factor', search: { return: location.href } })
    }
  },
  component: lazyRouteComponent(() => import('./shell/Shell.tsx'), 'Shell'),
})

const routeOf = <Path extends string, Search extends z.ZodObject>(page: Page<Path, Search>) =>
  createRoute({
    getParentRoute: () => shell,
    path: page.path,
    validateSearch: (search: Record<string, unknown>) => page.search.parse(search),
    component: page.component,
    errorComponent: PageFailed,
  })
/** The route of each page in a union of pages. */
type RouteOf<P> = P extends Page<infer Path, infer Search> ? ReturnType<typeof routeOf<Path, Search>> : never

const pages = manifests.flatMap<Page>((resource) => resource.pages)
// A list has one type for all pages, so `map` loses the path and the search parameters of each.
const pageRoutes = pages.map((page): AnyRoute => routeOf(page)) as RouteOf<
  (typeof manifests)[number]['pages'][number]
>[]

const tree = root.addChildren([
  login,
  pair,
  reset,
  signedIn.addChildren([password, secondFactor, shell.addChildren(pageRoutes)]),
])

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    basepath: basePath === '' ? '/' : basePath,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    defaultPendingComponent: PageLoading,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the router is typed by merging into this interface
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
