import { Radio, Stack } from '@mantine/core'
import type { Settings } from '../../../contract/system/settings.ts'
import { t } from '../../lib/i18n.ts'
import { useUnsaved } from '../../shared/editing/useUnsaved.ts'
import { SettingsGroup } from './SettingsGroup.tsx'
import { useSaveSettings } from './useSaveSettings.ts'

const choices = ['editor', 'viewer'] as const

type Unsaved = { readonly chosen: (typeof choices)[number] | null }
const noChanges: Unsaved = { chosen: null }

/** The role that may create workspaces. */
export function WorkspacesGroup({ settings }: { readonly settings: Settings }) {
  const { workspace_creation_role: role, updated } = settings
  const unsaved = useUnsaved('settings.workspaces', noChanges)
  const { chosen } = unsaved.values
  const title = t('settings:workspaces.title')
  const saving = useSaveSettings(title, unsaved)
  const isDirty = chosen !== null && chosen !== role
  return (
    <SettingsGroup
      id="workspaces"
      title={title}
      purpose={t('settings:workspaces.purpose')}
      updated={[updated['workspace_creation_role']]}
      saving={{
        isDirty,
        ...saving.state,
        onSave: () => saving.mutate({ workspace_creation_role: chosen ?? role }),
      }}
    >
      <Radio.Group
        label={t('settings:workspaces.role')}
        value={chosen ?? role}
        onChange={(value) => unsaved.set({ chosen: choices.find((name) => name === value) ?? null })}
      >
        <Stack gap="sm" mt="sm">
          {choices.map((value) => (
            <Radio
              key={value}
              value={value}
              label={t(`common:role.${value}`)}
              description={t(`settings:workspaces.${value}_help`)}
            />
          ))}
        </Stack>
      </Radio.Group>
    </SettingsGroup>
  )
}
