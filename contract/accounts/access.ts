import { z } from 'zod'
import { Role } from '../common/roles.ts'

/** `all`: every workspace, with one role. `listed`: only the workspaces of the memberships exist. */
export const Access = z.enum(['all', 'listed'])
export type Access = z.infer<typeof Access>

/** Maximum number of workspaces in a list. */
const maxMemberships = 200

export const membership = z.strictObject({
  workspace_id: z.string().min(1).max(64).meta({ description: 'ID of the workspace; on input also a slug' }),
  role: Role,
})
export type Membership = z.infer<typeof membership>

const descriptions = {
  access:
    '`all`: every workspace, with `role`. `listed`: only the workspaces of `memberships` exist, each with its own role, and `role` is `viewer`',
  memberships: 'The workspaces and their roles; empty with the access `all`',
}

/** The access of a user or an API token, as the service returns it. */
export const accessFields = {
  access: Access.meta({ description: descriptions.access }),
  memberships: z.array(membership).max(maxMemberships).meta({ description: descriptions.memberships }),
}
export type AccessFields = { readonly access: Access; readonly memberships: readonly Membership[] }

/** The access in a request. A new account has the access `all` unless the request sets it. */
export const accessInput = {
  access: Access.optional().meta({ description: descriptions.access }),
  memberships: z
    .array(membership)
    .max(maxMemberships)
    .optional()
    .meta({ description: 'Replaces the whole list. Only with the access `listed`' }),
}
