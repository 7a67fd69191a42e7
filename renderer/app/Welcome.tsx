import { useRouterState } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { FirstRunSkeleton } from '../features/first-run/FirstRunSkeleton.tsx'
import { useShellSearch } from '../lib/page/address.ts'
import { useMe } from '../lib/session/me.ts'
import { useDismissed } from '../lib/state/dismissed.ts'

const FirstRun = lazy(() =>
  import('../features/first-run/FirstRun.tsx').then((module) => ({ default: module.FirstRun })),
)

/** Returns whether the first-run panel is due: on the Overview, for an admin who has not dismissed it. */
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
  const { defaults } = useMe()
  // While built-in credentials are active, the panel always appears, so its space can be reserved.
  const skeleton = defaults.password || defaults.token ? <FirstRunSkeleton /> : null
  return isDue ? (
    <Suspense fallback={skeleton}>
      <FirstRun workspace={workspace} onDismiss={dismiss} skeleton={skeleton} />
    </Suspense>
  ) : null
}
