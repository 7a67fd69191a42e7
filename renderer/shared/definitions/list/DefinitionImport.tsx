import { useQueryClient } from '@tanstack/react-query'
import type {
  DefinitionImportReport,
  ImportedDefinition,
} from '../../../../contract/definitions/definition.ts'
import { t } from '../../../lib/i18n.ts'
import { toast } from '../../../ui/feedback/toast.ts'
import { useFirstWorkspace } from '../../resources/forms/useFirstWorkspace.ts'
import { ImportDialog } from '../../transfer/ImportDialog.tsx'
import { ImportFields } from '../../transfer/ImportFields.tsx'
import { ImportPreview } from '../../transfer/ImportPreview.tsx'
import { bodyOf, emptyImport, type ImportValues } from '../../transfer/import.ts'
import { callsOf, type Kind, refreshDefinitions } from '../definition.ts'

type Props = { readonly kind: Kind; readonly workspace: string | undefined; readonly onClose: () => void }

/** Imports agents or workflows from files or pasted text. */
export function DefinitionImport({ kind, workspace, onClose }: Props) {
  const queries = useQueryClient()
  const initial: ImportValues = { ...emptyImport, workspace_id: useFirstWorkspace(workspace) }
  const send = async (values: ImportValues, preview: boolean): Promise<DefinitionImportReport> =>
    (await callsOf(kind).import({ body: { ...bodyOf(values), preview } })).data
  return (
    <ImportDialog
      title={t(`definition:${kind}.import`)}
      initial={initial}
      accepted=".json,.yaml,.yml"
      formats={t('definition:import.formats')}
      send={send}
      onDone={async (count) => {
        await refreshDefinitions(queries, kind)
        toast(t(`definition:${kind}.imported`, { count }))
      }}
      onClose={onClose}
      apply={(count) => t('definition:import.apply', { count })}
      refused={(count) => t('definition:import.refused', { count })}
      options={(values, onChange) => (
        <ImportFields
          values={values}
          onChange={onChange}
          columns={3}
          existingLabel={t('definition:import.existing')}
        />
      )}
      preview={(report) => <ImportPreview report={report} resultNoteOf={resultNoteOf} />}
    />
  )
}

const resultNoteOf = ({ version }: ImportedDefinition): string | null =>
  version === null ? null : t('definition:import.becomes', { version })
