import { Checkbox, Group } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../lib/state/useDraft.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { DaysField, parseDays } from '../DaysField.tsx'
import { SettingsGroup } from '../SettingsGroup.tsx'
import { useSaveSettings } from '../useSaveSettings.ts'

type Unsaved = { readonly typed: string | null; readonly maySignIn: boolean | null }
const noChanges: Unsaved = { typed: null, maySignIn: null }

/** The settings that apply to paired devices. */
export function DevicesGroup({ settings }: { readonly settings: Settings }) {
  const { device_days: days, lan_password_sign_in: maySignInNow, updated } = settings
  const unsaved = useUnsaved('settings.devices', noChanges)
  const { typed, maySignIn } = unsaved.values
  const [isInvalid, setInvalid] = useState(false)
  const title = t('settings:devices.title')
  const reset = (): void => {
    unsaved.reset()
    setInvalid(false)
    saving.reset()
  }
  const saving = useSaveSettings({ group: title, onSaved: reset })
  const newDays = parseDays(typed ?? String(days))
  const save = (): void => {
    if (newDays === null) {
      setInvalid(true)
      document.getElementById('device-days')?.focus()
      return
    }
    saving.mutate({ device_days: newDays, lan_password_sign_in: maySignIn ?? maySignInNow })
  }
  return (
    <SettingsGroup
      id="devices"
      title={title}
      purpose={t('settings:devices.purpose')}
      updated={[updated['device_days'], updated['lan_password_sign_in']]}
      saving={{
        isDirty: (typed !== null && newDays !== days) || (maySignIn !== null && maySignIn !== maySignInNow),
        isRestored: unsaved.isRestored,
        isPending: saving.isPending,
        error: saving.error,
        onSave: save,
        onReset: reset,
      }}
    >
      <Group gap="sm">
        <LinkButton variant="default" size="xs" to="/devices" state={{ add: 'device' }}>
          {t('settings:devices.add')}
        </LinkButton>
        <LinkButton variant="default" size="xs" to="/devices">
          {t('settings:devices.manage')}
        </LinkButton>
      </Group>
      <DaysField
        id="device-days"
        label={t('settings:devices.days')}
        description={t('settings:devices.days_help')}
        value={typed ?? String(days)}
        onChange={(text) => {
          unsaved.set({ typed: text })
          setInvalid(false)
        }}
        isInvalid={isInvalid}
      />
      <Checkbox
        label={t('settings:devices.sign_in')}
        description={t('settings:devices.sign_in_help')}
        checked={maySignIn ?? maySignInNow}
        onChange={(event) => unsaved.set({ maySignIn: event.currentTarget.checked })}
      />
    </SettingsGroup>
  )
}
