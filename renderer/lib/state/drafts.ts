/**
 * Values typed into a form when the session ended, for the user who typed them. In memory only, and without
 * secrets.
 */
type Draft = { readonly owner: string; readonly values: Readonly<Record<string, unknown>> }

const drafts = new Map<string, Draft>()

/** True for a field whose value is never stored. */
export const isSecret = (field: string, value: unknown): boolean =>
  typeof value === 'string' && /password|token|secret|api_key/i.test(field)

/** Returns the name of a form's draft. Without an id it is the form that creates a new item. */
export const draftName = (resource: string, id?: string): string => `${resource}.${id ?? 'new'}`

/** Stores the values of a form, without its secret fields, until their owner has signed in again. */
export function storeDraft(form: string, owner: string, values: Readonly<Record<string, unknown>>): void {
  const publicValues = Object.entries(values).filter(([field, value]) => !isSecret(field, value))
  const stored = publicValues.map(([field, value]) => [field, withoutNestedSecret(value)] as const)
  drafts.set(form, { owner, values: Object.fromEntries(stored) })
}

/** Returns a group of fields with an empty secret, because its form needs a text. */
const withoutNestedSecret = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'secret' in value ? { ...value, secret: '' } : value

export const hasDraft = (form: string, owner: string): boolean => drafts.get(form)?.owner === owner

export const draftOf = (form: string, owner: string): Draft['values'] | null =>
  hasDraft(form, owner) ? (drafts.get(form)?.values ?? null) : null

export const dialogDraft = (dialog: string): string => `dialog.${dialog}`

/** True if typed values of the user are stored. An open dialog alone does not count. */
export const hasTypedValues = (owner: string): boolean =>
  [...drafts].some(([name, draft]) => draft.owner === owner && !name.startsWith(dialogDraft('')))

export const deleteDraft = (form: string): void => void drafts.delete(form)
export const deleteDrafts = (): void => drafts.clear()
