import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { SavedViewsProps } from './SavedViews.tsx'

const SavedViews = lazy(() => import('./SavedViews.tsx').then((module) => ({ default: module.SavedViews })))

/** `SavedViews`, loaded after the list. */
export function LazySavedViews(props: SavedViewsProps) {
  return (
    <Suspense fallback={<Skeleton height={30} width={84} />}>
      <SavedViews {...props} />
    </Suspense>
  )
}
