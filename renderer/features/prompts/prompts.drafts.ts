/** Under which name what was typed is kept; without an id, the form that makes one. */
export const promptDraft = (id?: string): string => `prompt.${id ?? 'new'}`
