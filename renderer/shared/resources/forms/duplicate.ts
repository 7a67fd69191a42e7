import { t } from '../../../lib/i18n.ts'
import type { ResourceTexts } from '../texts.ts'
import { keyTaken } from './keyTaken.ts'

type Original = { readonly key: string; readonly name: string; readonly workspace_id: string }

/** Returns the initial values of a form that duplicates a prompt, agent or workflow. */
export const copyOf = ({ key, name, workspace_id }: Original) => ({ key: `${key}-copy`, name, workspace_id })

/** Returns the props that these forms share. */
export const duplicateForm = (texts: ResourceTexts, { key }: Pick<Original, 'key'>) => ({
  title: t(`${texts}:duplicate.title`, { key }),
  submitLabel: t(`${texts}:duplicate.action`),
  problemFields: keyTaken('key'),
  rules: { key: (value: string) => (value.trim() === '' ? t(`${texts}:form.key_missing`) : null) },
})
