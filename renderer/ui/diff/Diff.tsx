import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { DiffProps } from './DiffView.tsx'

const DiffView = lazy(() => import('./DiffView.tsx').then((module) => ({ default: module.DiffView })))

/** Comparison of two values. Its code loads on first use. */
export function Diff(props: DiffProps) {
  return (
    <Suspense fallback={<Skeleton height={80} />}>
      <DiffView {...props} />
    </Suspense>
  )
}
