import type { QueryClient } from '@tanstack/react-query'
import { rolesQuery } from '../../../lib/session/roles.ts'
import { type View, viewAs } from '../../../lib/session/viewAs.ts'

/** Fetches everything again, because the cached data was fetched for another role. */
const refetchAll = (queries: QueryClient): void => void queries.invalidateQueries()

/** Displays the console for another role, with the permissions that the current settings give the role. */
export async function viewConsoleAs(queries: QueryClient, role: View['role']): Promise<void> {
  const roles = await queries.fetchQuery(rolesQuery)
  viewAs.set({ role, permissions: roles.find((info) => info.role === role)?.permissions ?? [] })
  refetchAll(queries)
}

export function stopViewing(queries: QueryClient): void {
  viewAs.set(null)
  refetchAll(queries)
}
