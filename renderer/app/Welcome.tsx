import { useRouterState } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { FirstRunSkeleton } from '../features/first-run/FirstRunSkeleton.tsx'
import { useShellSearch } from '../lib/page/address.ts'
import { useMe } from '../lib/session/me.ts'
import { useDismissed, useFlag } from '../lib/state/dismissed.ts'

/** Loads the code of the first-run panel. */
export const loadFirstRun = () =>
  import('../features/first-run/FirstRun.tsx').then((module) => ({ default: module.FirstRun }))

const FirstRun = lazy(loadFirstRun)

/** Returns `isDue`, true on the Overview for an admin who has not dismissed the panel, and `dismiss`. */
export function useWelcome() {
  const me = useMe()
  const isOverview = useRouterState({ select: (state) => state.location.pathname === '/' })
  const { isDismissed, dismiss } = useDismissed('first-run', me.id ?? me.username)
  return { isDue: isOverview && !isDismissed && me.role === 'admin' && me.auth === 'session', dismiss }
}

/** The first-run panel, above the Overview. */
export function Welcome() {
  const [{ workspace }] = useShellSearch()
  const { isDue, dismiss } = useWelcome()
  const { defaults, id, username } = useMe()
  const [isExpected, setExpected] = useFlag('first-run-open', id ?? username)
  // Reserve space for the panel if it is expected: built-in credentials are active, or it was open before.
  const areDefaultsActive = defaults.password || defaults.token
  const skeleton =
    areDefaultsActive || isExpected ? <FirstRunSkeleton areDefaultsActive={areDefaultsActive} /> : null
  return isDue ? (
    <Suspense fallback={skeleton}>
      <FirstRun workspace={workspace} onDismiss={dismiss} onOpen={setExpected} skeleton={skeleton} />
    </Suspense>
  ) : null
}
