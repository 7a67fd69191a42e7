import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { DiffProps } from './DiffView.tsx'

const DiffView = lazy(() => import('./DiffView.tsx').then((module) => ({ default: module.DiffView })))

/** Before and after. The comparing comes when something is first compared. */
export function Diff(props: DiffProps) {
  return (
    <Suspense fallback={<Skeleton height={80} />}>
      <DiffView {...props} />
    </Suspense>
  )
}
