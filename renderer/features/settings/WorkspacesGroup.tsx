import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../../contract/settings.ts'
import { t } from '../../lib/i18n.ts'
import { SettingsGroup } from './SettingsGroup.tsx'
import { useSaveSettings } from './useSaveSettings.ts'

const choices = ['editor', 'viewer'] as const

/** Who may create workspaces. */
export function WorkspacesGroup({ settings }: { readonly settings: Settings }) {
  const { workspace_creation_role: role, updated } = settings
  const [chosen, setChosen] = useState<(typeof choices)[number] | null>(null)
  const title = t('settings:workspaces.title')
  const saving = useSaveSettings({ group: title, onSaved: () => setChosen(null) })
  const isDirty = chosen !== null && chosen !== role
  return (
    <SettingsGroup
      id="workspaces"
      title={title}
      purpose={t('settings:workspaces.purpose')}
      updated={[updated['workspace_creation_role']]}
      saving={{
        isDirty,
        isPending: saving.isPending,
        error: saving.error,
        onSave: () => saving.mutate({ workspace_creation_role: chosen ?? role }),
        onReset: () => setChosen(null),
      }}
    >
      <Radio.Group
        label={t('settings:workspaces.role')}
        value={chosen ?? role}
        onChange={(value) => setChosen(choices.find((one) => one === value) ?? null)}
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
