import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ChangedEntity } from '../../contract/live.ts'

/** Asks anew for queries that show a second entity beside the one their key begins with, whenever that one changes. */
export function useAlsoOn(entity: ChangedEntity, queryKey: QueryKey): void {
  const queries = useQueryClient()
  // Asks nobody: the live connection invalidates it as it does every query of the entity.
  const { data } = useQuery({
    queryKey: [entity, 'beat'],
    queryFn: () => Date.now(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const seen = useRef(data)
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    const before = seen.current
    seen.current = data
    if (before === undefined || data === before) return
    void queries.invalidateQueries({ queryKey: JSON.parse(key) as QueryKey })
  }, [data, key, queries])
}
