import { useQueryClient } from '@tanstack/react-query'
import type { ImportedItem, ImportReport } from '../../../../contract/prompts/prompt-transfer.ts'
import { unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { useFirstWorkspace } from '../../../shared/resources/forms/useFirstWorkspace.ts'
import { ImportDialog } from '../../../shared/transfer/ImportDialog.tsx'
import { ImportPreview } from '../../../shared/transfer/ImportPreview.tsx'
import { bodyOf, emptyImport } from '../../../shared/transfer/import.ts'
import { toast } from '../../../ui/feedback/toast.ts'
import { refreshPromptsAndWorkspaces } from '../prompts.queries.ts'
import { ImportChange } from './ImportChange.tsx'
import { ImportOptions, type PromptImportValues } from './ImportOptions.tsx'

type Props = { readonly workspace: string | undefined; readonly onClose: () => void }

const accepted = '.json,.yaml,.yml,.md,.markdown,.prompt,.txt'

/** A dialog that imports prompts from files or pasted text. */
export function ImportPrompts({ workspace, onClose }: Props) {
  const queries = useQueryClient()
  const initial: PromptImportValues = {
    ...emptyImport,
    workspace_id: useFirstWorkspace(workspace),
    env: 'dev',
    publish: false,
  }
  const send = async (values: PromptImportValues, preview: boolean): Promise<ImportReport> =>
    (await client.promptTransfer.import({ body: { ...bodyOf(values), preview } })).data
  return (
    <ImportDialog
      title={t('prompts:import.title')}
      initial={initial}
      accepted={accepted}
      formats={t('prompts:import.formats')}
      send={send}
      onDone={async (count) => {
        await refreshPromptsAndWorkspaces(queries)
        toast(t('prompts:import.done', { count }))
      }}
      onClose={onClose}
      apply={(count) => t('prompts:import.apply', { count })}
      refused={(count) => t('prompts:import.refused', { count })}
      options={(values, onChange) => <ImportOptions values={values} onChange={onChange} />}
      preview={(report) => (
        <ImportPreview
          report={report}
          about={
            <span className="dimmed">
              {t('prompts:import.read_as', { format: t(`transfer:format.${report.format}`) })}
            </span>
          }
          column={envColumn}
          resultNoteOf={resultNoteOf}
          changeOf={changeOf}
        />
      )}
    />
  )
}

const envColumn = {
  title: t('prompts:field.env'),
  render: ({ env }: ImportedItem) => (env === null ? unknown : <EnvBadge env={env} />),
}

function resultNoteOf({ outcome, version }: ImportedItem): string | null {
  if (outcome !== 'create' && outcome !== 'update') return null
  return version === null ? t('prompts:import.stays_draft') : t('prompts:import.becomes', { version })
}

const changeOf = ({ id, after }: ImportedItem) =>
  id === null || after === null ? null : <ImportChange id={id} after={after} />
