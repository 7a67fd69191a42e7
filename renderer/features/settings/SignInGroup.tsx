import { Checkbox } from '@mantine/core'
import type { Settings } from '../../../contract/system/settings.ts'
import { t } from '../../lib/i18n.ts'
import { useUnsaved } from '../../shared/editing/useUnsaved.ts'
import { SettingsGroup } from './SettingsGroup.tsx'
import { useSaveSettings } from './useSaveSettings.ts'

type Unsaved = { readonly isRequired: boolean | null }
const noChanges: Unsaved = { isRequired: null }

/** The setting that requires two-factor authentication of every user. */
export function SignInGroup({ settings }: { readonly settings: Settings }) {
  const { require_second_factor: isRequiredNow, updated } = settings
  const unsaved = useUnsaved('settings.sign_in', noChanges)
  const { isRequired } = unsaved.values
  const title = t('settings:sign_in.title')
  const saving = useSaveSettings(title, unsaved)
  return (
    <SettingsGroup
      id="sign_in"
      title={title}
      purpose={t('settings:sign_in.purpose')}
      updated={[updated['require_second_factor']]}
      saving={{
        isDirty: isRequired !== null && isRequired !== isRequiredNow,
        ...saving.state,
        onSave: () => saving.mutate({ require_second_factor: isRequired ?? isRequiredNow }),
      }}
    >
      <Checkbox
        label={t('settings:sign_in.require')}
        description={t('settings:sign_in.require_help')}
        checked={isRequired ?? isRequiredNow}
        onChange={(event) => unsaved.set({ isRequired: event.currentTarget.checked })}
      />
    </SettingsGroup>
  )
}
