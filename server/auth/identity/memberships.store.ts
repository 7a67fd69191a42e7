import type { Membership } from '../../../contract/accounts/access.ts'
import type { Query } from '../../db/types.ts'

/** Stores the memberships of a new user or API token. */
export async function insertMemberships(
  q: Query,
  ownerId: string,
  memberships: readonly Membership[],
): Promise<void> {
  for (const { workspace_id, role } of memberships)
    await q.insertInto('memberships').values({ owner_id: ownerId, workspace_id, role }).execute()
}
