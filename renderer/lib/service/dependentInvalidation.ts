import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ChangedEntity } from '../../../contract/live/frames.ts'

/**
 * Invalidates queries that also show a second entity, besides the one their key begins with, when that entity
 * changes.
 */
export function useDependentInvalidation(entity: ChangedEntity, queryKey: QueryKey): void {
  const queries = useQueryClient()
  // Sends no request. The live connection invalidates this query as it does every query of the entity.
  const { data } = useQuery({
    queryKey: [entity, 'dependents'],
    queryFn: () => Date.now(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const previous = useRef(data)
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    const before = previous.current
    previous.current = data
    if (before === undefined || data === before) return
    void queries.invalidateQueries({ queryKey: JSON.parse(key) as QueryKey })
  }, [data, key, queries])
}
