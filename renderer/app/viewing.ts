import type { QueryClient } from '@tanstack/react-query'
import { rolesQuery } from '../lib/roles.ts'
import { type View, viewAs } from '../lib/viewAs.ts'

/** What the pages hold was fetched for another role; a question that is refused from now on must be asked anew. */
const askAnew = (queries: QueryClient): void => void queries.invalidateQueries()

/** Shows the console as this role sees it, with what the role may do under the settings in force. */
export async function viewConsoleAs(queries: QueryClient, role: View['role']): Promise<void> {
  const known = await queries.fetchQuery(rolesQuery)
  viewAs.set({ role, permissions: known.find((one) => one.role === role)?.permissions ?? [] })
  askAnew(queries)
}

export function stopViewing(queries: QueryClient): void {
  viewAs.set(null)
  askAnew(queries)
}
