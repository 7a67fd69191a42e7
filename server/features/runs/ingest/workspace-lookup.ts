import type { Query } from '../../../db/types.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'

/** Returns a lookup of workspace ids by id or slug, which reads each workspace once, also for simultaneous calls. */
export function createWorkspaceLookup(q: Query): (idOrSlug: string) => Promise<string | null> {
  const cache = new Map<string, Promise<string | null>>()
  const read = async (idOrSlug: string) => (await findWorkspace(q, idOrSlug))?.id ?? null
  return (idOrSlug) => {
    const id = cache.get(idOrSlug) ?? read(idOrSlug)
    cache.set(idOrSlug, id)
    return id
  }
}
