import { useRouterState } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { shellSearch } from '../lib/address.ts'
import { useDismissed } from '../lib/dismissed.ts'
import { useMe } from '../lib/me.ts'
import { useSearchState } from '../lib/search.ts'

const FirstRun = lazy(() =>
  import('../features/first-run/FirstRun.tsx').then((module) => ({ default: module.FirstRun })),
)

/** The first steps, above the Overview of an admin who has not put them away. */
export function Welcome() {
  const me = useMe()
  const isOverview = useRouterState({ select: (state) => state.location.pathname === '/' })
  const [{ workspace }] = useSearchState(shellSearch)
  const { isDismissed, dismiss } = useDismissed('first-run', me.id ?? me.username)
  if (!isOverview || isDismissed || me.role !== 'admin' || me.auth !== 'session') return null
  return (
    <Suspense>
      <FirstRun workspace={workspace} onDismiss={dismiss} />
    </Suspense>
  )
}
