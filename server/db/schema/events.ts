/** The latest live frames, for clients that reconnect. Older ones are deleted. */
export type EventsTable = {
  seq: number
  type: string
  entity: string
  entity_id: string | null
  workspace_id: string | null
  /** The workspace that the item was moved out of. */
  from_workspace_id: string | null
  namespace: string | null
  /** The user whose account or session the frame is about. */
  user_id: string | null
  /** The frame as JSON, without `seq`. */
  payload: string
  created_at: number
  /**
   * JSON array of the clients that receive the frame, for one that is sent again without a change; it is not replayed.
   * Null: all clients of the environment and workspace.
   */
  client_ids: string | null
}
