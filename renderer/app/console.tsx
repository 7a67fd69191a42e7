import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { bridge, pairedApp } from '../lib/page/desktop.ts'
import { keepFocusOfButtons } from '../lib/page/focus.ts'
import { asApiError, createQueryClient } from '../lib/service/api.ts'
import { addressOf } from '../lib/service/base-path.ts'
import { session } from '../lib/session/session.ts'
import { viewAs } from '../lib/session/viewAs.ts'
import { deleteDrafts } from '../lib/state/drafts.ts'
import { endConfirm } from '../ui/dialog/confirm.tsx'
import { toasts } from '../ui/feedback/toast.ts'
import { Providers } from './providers.tsx'
import { createConsoleRouter } from './router.tsx'
import { keepWithoutService } from './StartFailed.tsx'
import { loadFirstRun } from './Welcome.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

addEventListener('vite:preloadError', keepWithoutService)
keepFocusOfButtons()

const queries = createQueryClient()
const router = createConsoleRouter(queries)

// After a sign-out, go to the sign-in page and remove the user's data from memory.
session.subscribe(() => {
  if (session.token() !== null) return
  viewAs.set(null)
  endConfirm()
  toasts.set([])
  if (session.get().reason === 'signed_out') deleteDrafts()
  void router.invalidate().then(() => queries.clear())
})

// An admin can require a new password at any time. The service then rejects all other requests.
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'error') return
  if (asApiError(event.action.error)?.problem?.code !== 'auth.password_change_required') return
  const { pathname, href } = router.state.location
  if (pathname !== '/password') void router.navigate({ to: '/password', search: { return: href } })
})

/**
 * Connects the console to the desktop app: links and notifications open pages, and failed runs are reported.
 */
async function connectDesktopApp(): Promise<void> {
  if (bridge === null) return
  const { connectDesktop, signInWithApp } = await import('./desktop.ts')
  if (pairedApp !== null) await signInWithApp(pairedApp, session)
  connectDesktop(bridge, { queries, session, go: (path) => router.history.push(addressOf(path)) })
}

// Loads the code of the page while the service is asked who is signed in.
const { pathname: firstPath } = router.latestLocation
const [firstRoutes] = router.getMatchedRoutes(firstPath)
for (const route of firstRoutes) void router.loadRouteChunk(route)
// If it fails, the panel loads it again and reports the error.
if (firstPath === '/') loadFirstRun().catch(() => undefined)

/** Resolves when the console is rendered; rejects if it cannot start. */
// No top-level await: modules that load meanwhile may import this one, which would be a deadlock.
export const started: Promise<void> = Promise.all([connectDesktopApp(), session.ready]).then(() =>
  createRoot(root).render(
    <StrictMode>
      <Providers queries={queries}>
        <RouterProvider router={router} />
      </Providers>
    </StrictMode>,
  ),
)
