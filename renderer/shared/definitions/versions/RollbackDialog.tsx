import { useQueryClient } from '@tanstack/react-query'
import { t, tNode } from '../../../lib/i18n.ts'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import { callsOf, type Definition, type Kind, refreshDefinitions } from '../definition.ts'
import { VersionDiff } from './VersionDiff.tsx'

type Props = {
  readonly kind: Kind
  readonly definition: Definition
  readonly version: string
  readonly onClose: () => void
}

/** Dialog that saves the content of an older version as a new version. The history is never rewritten. */
export function RollbackDialog({ kind, definition, version, onClose }: Props) {
  const queries = useQueryClient()
  const run = async ({ message }: { message: string }): Promise<void> => {
    const { data } = await callsOf(kind).rollback(
      {
        params: { id: definition.id },
        body: { version, ...(message.trim() === '' ? {} : { message }) },
      },
      { headers: { 'if-match': definition.etag } },
    )
    await refreshDefinitions(queries, kind)
    toast(t('definition:rollback.done', { key: data.key, version, as: data.version }))
  }
  return (
    <FormModal
      title={t('definition:rollback.title', { key: definition.key, version })}
      initial={{ message: '' }}
      submitLabel={t('definition:rollback.action', { version })}
      onSubmit={run}
      onClose={onClose}
      size={900}
    >
      {(form) => (
        <>
          <div>
            {tNode(`definition:${kind}.rollback`, {
              version: <b className="mono">{version}</b>,
              current: <b className="mono">{definition.version}</b>,
            })}
          </div>
          <VersionDiff kind={kind} id={definition.id} from={definition.version} to={version} />
          <Textarea
            {...form.getInputProps('message')}
            label={t('definition:field.message')}
            description={t('definition:edit.message_help')}
            maxLength={500}
            data-autofocus
          />
        </>
      )}
    </FormModal>
  )
}
