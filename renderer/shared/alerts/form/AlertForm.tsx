import '../alerts.texts.ts'
import { TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Alert } from '../../../../contract/alerts/alert.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'
import { useRealMe } from '../../../lib/session/me.ts'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { useFirstWorkspace } from '../../resources/forms/useFirstWorkspace.ts'
import { useWorkspacesWith } from '../../workspaces/useWorkspacesWith.ts'
import { nameOf, sentenceOf } from '../wording.ts'
import { ChannelFields } from './ChannelFields.tsx'
import { ConditionFields } from './ConditionFields.tsx'
import styles from './form.module.css'
import {
  type AlertSuggestion,
  type AlertValues,
  allWorkspaces,
  bodyOf,
  conditionOf,
  newValues,
  thresholdOf,
  valuesOf,
} from './values.ts'

type Props = {
  /** Null for a new alert. */
  readonly alert: Alert | null
  readonly suggestion?: AlertSuggestion
  readonly onClose: () => void
  readonly onSaved?: (alert: Alert) => void
}

const minRunsRule = (value: string): string | null =>
  /^[1-9]\d{0,5}$/.test(value.trim()) ? null : t('alerts:form.threshold_missing')

/** Dialog that creates or edits an alert. A sentence shows the condition while it is edited. */
export function AlertForm({ alert, suggestion = {}, onClose, onSaved }: Props) {
  const queries = useQueryClient()
  const { data: workspaces = [] } = useQuery(workspaceChoicesQuery)
  const allowed = useWorkspacesWith('alerts.write') ?? []
  // An alert on all workspaces needs access to all of them.
  const mayWatchAll = useRealMe().access === 'all'
  const first = useFirstWorkspace(suggestion.workspace, 'alerts.write')
  const workspaceName = (idOrSlug: string): string =>
    workspaces.find(({ id, slug }) => id === idOrSlug || slug === idOrSlug)?.name ?? idOrSlug
  const save = async (values: AlertValues): Promise<void> => {
    const body = bodyOf(values, workspaceName(values.workspace))
    const { data } =
      alert === null
        ? await client.alerts.create({ body: { ...body, kind: values.kind } })
        : await client.alerts.update({ params: { id: alert.id }, body })
    await queries.invalidateQueries({ queryKey: ['alert'] })
    toast(t(alert === null ? 'alerts:form.added' : 'alerts:form.saved', { name: data.name }))
    onSaved?.(data)
  }
  return (
    <FormModal<AlertValues>
      title={alert === null ? t('alerts:form.add_title') : t('alerts:form.edit_title', { name: alert.name })}
      initial={
        alert === null
          ? newValues(mayWatchAll ? suggestion : { ...suggestion, workspace: first })
          : valuesOf(alert)
      }
      submitLabel={alert === null ? t('alerts:add') : t('common:save')}
      size={560}
      onSubmit={save}
      onClose={onClose}
      rules={{
        threshold: (_, values) => (thresholdOf(values) === null ? t('alerts:form.threshold_missing') : null),
        min_runs: minRunsRule,
      }}
    >
      {(form) => {
        const values = form.getValues()
        const name = workspaceName(values.workspace)
        const condition = conditionOf(values, name)
        return (
          <>
            <p className={styles['preview']} role="status" aria-label={t('alerts:form.preview')}>
              {sentenceOf(condition)}
            </p>
            <ConditionFields
              form={form}
              isNew={alert === null}
              workspaces={[
                ...(mayWatchAll ? [{ value: allWorkspaces, label: t('alerts:form.all_workspaces') }] : []),
                ...allowed.map((each) => ({ value: each.id, label: each.name })),
                ...(values.workspace === allWorkspaces || allowed.some(({ id }) => id === values.workspace)
                  ? []
                  : [{ value: values.workspace, label: name }]),
              ]}
            />
            <TextInput
              {...form.getInputProps('name')}
              label={t('alerts:form.name')}
              placeholder={nameOf(condition)}
              maxLength={128}
              autoComplete="off"
            />
            <ChannelFields form={form} webhook={alert?.webhook ?? null} />
          </>
        )
      }}
    </FormModal>
  )
}
