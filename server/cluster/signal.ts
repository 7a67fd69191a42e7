/** A message between instances that is not a live frame. It announces a change; the receiver reads the current state. */
export type Signal =
  /** Runs were added or removed. */
  | { readonly kind: 'runs'; readonly workspaceIds: readonly string[] }
  /** A provider became ready or failing on one instance. */
  | { readonly kind: 'providers' }
