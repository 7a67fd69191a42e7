/** Under which name what was typed into the form is kept; without an id, the form that adds. */
export const workspaceDraft = (id?: string): string => `workspace.${id ?? 'new'}`
