/**
 * What was typed into a form when the session ended, until its owner has signed in again. In memory only, never a secret,
 * and for nobody else.
 */
type Draft = { readonly owner: string; readonly values: Readonly<Record<string, unknown>> }

const drafts = new Map<string, Draft>()
const isSecret = (field: string): boolean => /password|token|secret|api_key/i.test(field)

/** The name of a form; without an id, of the one that makes a new thing. */
export const draftName = (thing: string, id?: string): string => `${thing}.${id ?? 'new'}`

export function keepDraft(form: string, owner: string, values: Readonly<Record<string, unknown>>): void {
  const kept = Object.entries(values).filter(([field]) => !isSecret(field))
  drafts.set(form, { owner, values: Object.fromEntries(kept) })
}

export const hasDraft = (form: string, owner: string): boolean => drafts.get(form)?.owner === owner

export const draftOf = (form: string, owner: string): Draft['values'] | null =>
  hasDraft(form, owner) ? (drafts.get(form)?.values ?? null) : null

export const forgetDraft = (form: string): void => void drafts.delete(form)
export const forgetDrafts = (): void => drafts.clear()
