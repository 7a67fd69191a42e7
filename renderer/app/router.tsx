import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { z } from 'zod'
import { agentSearch, agentsSearch } from '../features/agents/list/agents.search.ts'
import { auditSearch } from '../features/audit/audit.search.ts'
import { clientsSearch } from '../features/clients/clients.search.ts'
import { overviewSearch } from '../features/overview/overview.search.ts'
import { playgroundSearch } from '../features/playground/playground.search.ts'
import { promptSearch, promptsSearch } from '../features/prompts/list/prompts.search.ts'
import { runsSearch } from '../features/runs/runs.search.ts'
import { usersSearch } from '../features/users/users.search.ts'
import { workflowSearch, workflowsSearch } from '../features/workflows/list/workflows.search.ts'
import { workspacesSearch } from '../features/workspaces/workspaces.search.ts'
import { shellSearch } from '../lib/page/address.ts'
import { one, parseSearch, stringifySearch } from '../lib/page/search.ts'
import { asApiError } from '../lib/service/api.ts'
import { meQuery, mustChangePassword } from '../lib/session/me.ts'
import { session } from '../lib/session/session.ts'
import { PageLoading } from '../ui/feedback/PageLoading.tsx'
import { NotFound } from './NotFound.tsx'
import { StartFailed } from './StartFailed.tsx'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ notFoundComponent: NotFound })

const loginSearch = z.object({ return: one() })
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search) => loginSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/login/LoginPage.tsx'), 'LoginPage'),
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

const shell = createRoute({
  getParentRoute: () => signedIn,
  id: 'shell',
  validateSearch: (search) => shellSearch.parse(search),
  search: {
    middlewares: [
      // A link keeps the current workspace unless it sets `workspace`; undefined clears it.
      ({ search, next }) => {
        const wanted = next(search)
        return 'workspace' in wanted ? wanted : { ...wanted, workspace: search.workspace }
      },
    ],
  },
  beforeLoad: async ({ context: { me, queries }, location }) => {
    if (await mustChangePassword(queries, me)) {
      throw redirect({ to: '/password', search: { return: location.href } })
    }
  },
  component: lazyRouteComponent(() => import('./shell/Shell.tsx'), 'Shell'),
})

// One route per noun. `{-$id}` is the row whose drawer is open.
const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: (search) => overviewSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/overview/OverviewPage.tsx'), 'OverviewPage'),
})
const runs = createRoute({
  getParentRoute: () => shell,
  path: '/runs/{-$id}',
  validateSearch: (search) => runsSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/runs/RunsPage.tsx'), 'RunsPage'),
})
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit/{-$id}',
  validateSearch: (search) => auditSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/audit/AuditPage.tsx'), 'AuditPage'),
})
const clients = createRoute({
  getParentRoute: () => shell,
  path: '/clients/{-$id}',
  validateSearch: (search) => clientsSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/clients/ClientsPage.tsx'), 'ClientsPage'),
})
const prompts = createRoute({
  getParentRoute: () => shell,
  path: '/prompts',
  validateSearch: (search) => promptsSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/prompts/list/PromptsPage.tsx'), 'PromptsPage'),
})
const prompt = createRoute({
  getParentRoute: () => shell,
  path: '/prompts/$id',
  validateSearch: (search) => promptSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/prompts/page/PromptPage.tsx'), 'PromptPage'),
})
const playground = createRoute({
  getParentRoute: () => shell,
  path: '/playground',
  validateSearch: (search) => playgroundSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/playground/PlaygroundPage.tsx'), 'PlaygroundPage'),
})
const agents = createRoute({
  getParentRoute: () => shell,
  path: '/agents',
  validateSearch: (search) => agentsSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/agents/list/AgentsPage.tsx'), 'AgentsPage'),
})
const agent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/$id',
  validateSearch: (search) => agentSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/agents/page/AgentPage.tsx'), 'AgentPage'),
})
const workflows = createRoute({
  getParentRoute: () => shell,
  path: '/workflows',
  validateSearch: (search) => workflowsSearch.parse(search),
  component: lazyRouteComponent(
    () => import('../features/workflows/list/WorkflowsPage.tsx'),
    'WorkflowsPage',
  ),
})
const workflow = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/$id',
  validateSearch: (search) => workflowSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/workflows/page/WorkflowPage.tsx'), 'WorkflowPage'),
})
const execution = createRoute({
  getParentRoute: () => shell,
  path: '/workflow-runs/$id',
  component: lazyRouteComponent(
    () => import('../features/workflows/execution/ExecutionPage.tsx'),
    'ExecutionPage',
  ),
})
const users = createRoute({
  getParentRoute: () => shell,
  path: '/users/{-$id}',
  validateSearch: (search) => usersSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/users/UsersPage.tsx'), 'UsersPage'),
})
const workspaces = createRoute({
  getParentRoute: () => shell,
  path: '/workspaces/{-$id}',
  validateSearch: (search) => workspacesSearch.parse(search),
  component: lazyRouteComponent(() => import('../features/workspaces/WorkspacesPage.tsx'), 'WorkspacesPage'),
})
const providers = createRoute({
  getParentRoute: () => shell,
  path: '/providers',
  component: lazyRouteComponent(() => import('../features/providers/ProvidersPage.tsx'), 'ProvidersPage'),
})
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(() => import('../features/settings/SettingsPage.tsx'), 'SettingsPage'),
})
const profile = createRoute({
  getParentRoute: () => shell,
  path: '/profile',
  component: lazyRouteComponent(() => import('../features/profile/ProfilePage.tsx'), 'ProfilePage'),
})

const tree = root.addChildren([
  login,
  signedIn.addChildren([
    password,
    shell.addChildren([
      overview,
      runs,
      audit,
      clients,
      prompts,
      prompt,
      playground,
      agents,
      agent,
      workflows,
      workflow,
      execution,
      users,
      workspaces,
      providers,
      settings,
      profile,
    ]),
  ]),
])

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
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
