import type { Access, Membership } from '../../../contract/accounts/access.ts'

/** The column of users and API tokens that states whether they are limited to their memberships. */
export type AccessColumn = { access: Access }

/** A workspace of a user or API token whose access is `listed`. */
export type MembershipsTable = { owner_id: string; workspace_id: string; role: Membership['role'] }
