export type SavedViewsTable = {
  id: string
  /** Kind and id of the account, such as `user:<id>`. */
  owner: string
  owner_name: string
  name: string
  name_folded: string
  page: string
  query: string
  /** JSON array; null: the columns of each reader. */
  columns: string | null
  /** The workspace with which the view is shared; null: only its owner sees it. */
  workspace_id: string | null
  created_at: number
  updated_at: number
}
