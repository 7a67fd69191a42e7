import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { asApiError, createQueryClient } from '../lib/api.ts'
import { desktop } from '../lib/desktop.ts'
import { forgetDrafts } from '../lib/drafts.ts'
import { session } from '../lib/session.ts'
import { viewAs } from '../lib/viewAs.ts'
import { Providers } from './providers.tsx'
import { createConsoleRouter } from './router.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

const queries = createQueryClient()
const router = createConsoleRouter(queries)

// Whoever signs out, or is signed out, goes to the sign-in page and leaves no data of theirs in memory.
session.subscribe(() => {
  if (session.token() !== null) return
  viewAs.set(null)
  if (session.get().reason === 'signed_out') forgetDrafts()
  void router.invalidate().then(() => queries.clear())
})

// An admin may ask for a new password at any moment; from then on the service answers nothing else.
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'error') return
  if (asApiError(event.action.error)?.problem?.code !== 'auth.password_change_required') return
  const { pathname, href } = router.state.location
  if (pathname !== '/password') void router.navigate({ to: '/password', search: { return: href } })
})

/** In the desktop app: links and notifications open pages here, and failed runs are told to it. */
async function join(): Promise<void> {
  if (desktop === null) return
  const { joinDesktop } = await import('./desktop.ts')
  joinDesktop(desktop, { queries, session, go: (path) => router.history.push(path) })
}

// Not awaited at the top: what is loaded on the way may need this very module, and would wait for it for ever.
void Promise.all([join(), session.ready]).then(() =>
  createRoot(root).render(
    <StrictMode>
      <Providers queries={queries}>
        <RouterProvider router={router} />
      </Providers>
    </StrictMode>,
  ),
)
