import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../lib/state/useDraft.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { DaysField, parseDays } from '../DaysField.tsx'
import { SettingsGroup } from '../SettingsGroup.tsx'
import { useSaveSettings } from '../useSaveSettings.ts'

type Unsaved = { readonly typed: string | null; readonly mayCreate: boolean | null }
const noChanges: Unsaved = { typed: null, mayCreate: null }

/** The settings that apply to new API tokens. */
export function TokenRules({ settings }: { readonly settings: Settings }) {
  const { api_token_max_days: days, api_tokens_may_create_admins: mayCreateNow, updated } = settings
  const unsaved = useUnsaved('settings.token_rules', noChanges)
  const { typed, mayCreate } = unsaved.values
  const [isInvalid, setInvalid] = useState(false)
  const title = t('settings:token_rules.title')
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
      document.getElementById('token-days')?.focus()
      return
    }
    saving.mutate({ api_token_max_days: newDays, api_tokens_may_create_admins: mayCreate ?? mayCreateNow })
  }
  return (
    <SettingsGroup
      id="token_rules"
      title={title}
      purpose={t('settings:token_rules.purpose')}
      updated={[updated['api_token_max_days'], updated['api_tokens_may_create_admins']]}
      saving={{
        isDirty: (typed !== null && newDays !== days) || (mayCreate !== null && mayCreate !== mayCreateNow),
        isRestored: unsaved.isRestored,
        isPending: saving.isPending,
        error: saving.error,
        onSave: save,
        onReset: reset,
      }}
    >
      <div>
        <LinkButton variant="default" size="xs" to="/tokens">
          {t('settings:token_rules.manage')}
        </LinkButton>
      </div>
      <DaysField
        id="token-days"
        label={t('settings:token_rules.days')}
        description={t('settings:token_rules.days_help')}
        value={typed ?? String(days)}
        onChange={(text) => {
          unsaved.set({ typed: text })
          setInvalid(false)
        }}
        isInvalid={isInvalid}
      />
      <Checkbox
        label={t('settings:token_rules.admins')}
        description={t('settings:token_rules.admins_help')}
        checked={mayCreate ?? mayCreateNow}
        onChange={(event) => unsaved.set({ mayCreate: event.currentTarget.checked })}
      />
    </SettingsGroup>
  )
}
