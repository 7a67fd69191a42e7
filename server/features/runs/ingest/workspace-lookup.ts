import type { Query } from '../../../db/types.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'

/** Returns a lookup of workspace ids by id or slug, which reads each workspace once. */
export function createWorkspaceLookup(q: Query): (idOrSlug: string) => Promise<string | null> {
  const cache = new Map<string, string | null>()
  return async (idOrSlug) => {
    const cached = cache.get(idOrSlug)
    if (cached !== undefined) return cached
    const id = (await findWorkspace(q, idOrSlug))?.id ?? null
    cache.set(idOrSlug, id)
    return id
  }
}
