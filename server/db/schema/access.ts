/** The workspaces of a user or API token with listed access, each with its role. */
export type MembershipsTable = {
  owner_id: string
  workspace_id: string
  role: 'viewer' | 'editor' | 'admin'
}
