/** Under which name what was typed into the form is kept; without an id, the form that adds. */
export const userDraft = (id?: string): string => `user.${id ?? 'new'}`
