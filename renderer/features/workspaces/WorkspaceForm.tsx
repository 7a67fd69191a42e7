import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type Environment, environments } from '../../../contract/common/environments.ts'
import { defaultTimeZone } from '../../../contract/gateway/budgets.ts'
import { type CaptureMode, captureModes } from '../../../contract/models/models.ts'
import { defaultWorkspaceId, type Workspace } from '../../../contract/system/workspaces.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { type DisabledReason, useDisabledReason, useRealMe } from '../../lib/session/me.ts'
import { draftName } from '../../lib/state/drafts.ts'
import { type BudgetValues, budgetOfValues, budgetValues, isBudget } from '../../shared/budgets/values.ts'
import { EnvBadge } from '../../shared/environments/EnvBadge.tsx'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { Textarea } from '../../ui/input/Textarea.tsx'
import { GatewayFields } from './GatewayFields.tsx'

const inherit = 'inherit'
type Values = {
  name: string
  slug: string
  description: string
  protected_envs: Environment[]
  capture: CaptureMode | typeof inherit
  time_zone: string
  budget: BudgetValues
}

type Props = {
  /** Null for a new workspace. */
  readonly workspace: Workspace | null
  readonly onClose: () => void
  readonly onSaved?: (workspace: Workspace) => void
}

/** Returns the name and the changed fields. */
function bodyOf(values: Values, initial: Values) {
  const { name, slug, description, protected_envs: chosen, capture, time_zone, budget } = values
  const isSame = environments.every((env) => chosen.includes(env) === initial.protected_envs.includes(env))
  return {
    name,
    ...(slug !== '' && slug !== initial.slug && { slug }),
    ...(description !== initial.description && { description: description === '' ? null : description }),
    ...(!isSame && { protected_envs: chosen }),
    ...(capture !== initial.capture && { capture: capture === inherit ? null : capture }),
    ...(time_zone !== initial.time_zone && { time_zone }),
    ...(JSON.stringify(budget) !== JSON.stringify(initial.budget) && { budget: budgetOfValues(budget) }),
  }
}

/** Returns the reason why the slug cannot be changed; null if it can. */
function useSlugDisabledReason(workspace: Workspace | null): DisabledReason {
  const { access } = useRealMe()
  const disabledReasonOf = useDisabledReason()
  if (workspace === null) return null
  if (workspace.id === defaultWorkspaceId) return t('workspaces:form.slug_default')
  if (access === 'listed') return t('workspaces:form.slug_listed')
  const isProtected = workspace.protected_envs.length > 0
  if (isProtected && disabledReasonOf('environments.protected', workspace.id) !== null)
    return t('workspaces:form.slug_protected')
  return null
}

export function WorkspaceForm({ workspace, onClose, onSaved }: Props) {
  const queries = useQueryClient()
  const isNew = workspace === null
  const initial: Values = {
    name: workspace?.name ?? '',
    slug: workspace?.slug ?? '',
    description: workspace?.description ?? '',
    protected_envs: workspace?.protected_envs ?? [],
    capture: workspace?.capture ?? inherit,
    time_zone: workspace?.time_zone ?? defaultTimeZone,
    budget: budgetValues(workspace?.budget ?? null),
  }
  const disabledReasonOf = useDisabledReason()
  const protectDisabledReason = disabledReasonOf('environments.protected', workspace?.id)
  const slugDisabledReason = useSlugDisabledReason(workspace)
  const captureDisabledReason = disabledReasonOf('settings.manage')
  const save = async (values: Values): Promise<void> => {
    const body = bodyOf(values, initial)
    const { data } = isNew
      ? await client.workspaces.create({ body })
      : await client.workspaces.update({ params: { id: workspace.id }, body })
    await invalidateEntities(queries, 'workspace', 'prompt')
    toast(t(isNew ? 'workspaces:form.added' : 'workspaces:form.saved', { name: data.name }))
    onSaved?.(data)
  }
  return (
    <FormModal
      draft={draftName('workspace', workspace?.id)}
      title={
        isNew ? t('workspaces:form.add_title') : t('workspaces:form.edit_title', { name: workspace.name })
      }
      initial={initial}
      submitLabel={isNew ? t('workspaces:add') : t('common:save')}
      onSubmit={save}
      onClose={onClose}
      problemFields={{ 'workspace.slug_taken': 'slug', 'workspace.default_protected': 'slug' }}
      rules={{
        name: (value) => (value.trim() === '' ? t('workspaces:form.name_missing') : null),
        budget: (value) => (isBudget(value) ? null : t('budgets:invalid')),
        slug: (value) => (!isNew && value === '' ? t('workspaces:form.slug_missing') : null),
      }}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('name')}
            label={t('workspaces:form.name')}
            maxLength={128}
            data-autofocus
          />
          <TextInput
            {...form.getInputProps('slug')}
            label={t('workspaces:form.slug')}
            description={slugDisabledReason ?? t(`workspaces:form.slug_${isNew ? 'help' : 'change'}`)}
            disabled={slugDisabledReason !== null}
            maxLength={64}
            className="mono-input"
          />
          <Textarea
            {...form.getInputProps('description')}
            label={t('workspaces:form.description')}
            minRows={2}
            maxRows={8}
            maxLength={2000}
          />
          <Checkbox.Group
            {...form.getInputProps('protected_envs')}
            label={t('workspaces:form.protected')}
            description={protectDisabledReason ?? t('workspaces:form.protected_help')}
          >
            <Group gap="lg" mt="sm">
              {environments.map((env) => (
                <Checkbox
                  key={env}
                  size="xs"
                  value={env}
                  label={<EnvBadge env={env} />}
                  disabled={protectDisabledReason !== null}
                />
              ))}
            </Group>
          </Checkbox.Group>
          <NativeSelect
            {...form.getInputProps('capture')}
            label={t('workspaces:form.capture')}
            description={captureDisabledReason ?? t('workspaces:form.capture_help')}
            disabled={captureDisabledReason !== null}
            data={([inherit, ...captureModes] as const).map((value) => ({
              value,
              label: t(`workspaces:form.capture_${value}`),
            }))}
          />
          <GatewayFields
            {...form.getValues()}
            disabledReason={captureDisabledReason}
            onTimeZone={(zone) => form.setFieldValue('time_zone', zone)}
            onBudget={(budget) => form.setFieldValue('budget', budget)}
          />
        </>
      )}
    </FormModal>
  )
}
