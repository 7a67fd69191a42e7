/**
 * Returns the form field for the problem that another prompt, agent or workflow in the workspace has the key.
 */
export const keyTaken = <F extends string>(field: F) =>
  ({ 'prompt.key_taken': field, 'agent.key_taken': field, 'workflow.key_taken': field }) as const
