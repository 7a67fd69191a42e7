import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { FilterEditorProps } from './FilterEditor.tsx'

const FilterEditor = lazy(() =>
  import('./FilterEditor.tsx').then((module) => ({ default: module.FilterEditor })),
)

/** `FilterEditor`, loaded on first use: most visits to a list never need it. */
export function LazyFilterEditor(props: FilterEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={96} width={220} />}>
      <FilterEditor {...props} />
    </Suspense>
  )
}
