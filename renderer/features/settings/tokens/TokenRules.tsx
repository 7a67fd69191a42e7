import { Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../../../contract/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../lib/state/useDraft.ts'
import { SettingsGroup } from '../SettingsGroup.tsx'
import styles from '../settings.module.css'
import { useSaveSettings } from '../useSaveSettings.ts'

const longestDays = 3650

type Unsaved = { readonly typed: string | null; readonly mayCreate: boolean | null }
const noChanges: Unsaved = { typed: null, mayCreate: null }

/** Returns the number of days; null if the text is not a number in the allowed range. */
const daysOf = (text: string): number | null => {
  const days = Number(text.trim())
  return /^\d+$/.test(text.trim()) && days >= 1 && days <= longestDays ? days : null
}

/** The settings that apply to new API tokens. */
export function TokenRules({ settings }: { readonly settings: Settings }) {
  const { api_token_max_days: days, api_tokens_may_create_admins: may, updated } = settings
  const unsaved = useUnsaved('settings.token_rules', noChanges)
  const { typed, mayCreate } = unsaved.values
  const [isRefused, setRefused] = useState(false)
  const title = t('settings:token_rules.title')
  const reset = (): void => {
    unsaved.reset()
    setRefused(false)
    saving.reset()
  }
  const saving = useSaveSettings({ group: title, onSaved: reset })
  const wanted = daysOf(typed ?? String(days))
  const save = (): void => {
    if (wanted === null) {
      setRefused(true)
      document.getElementById('token-days')?.focus()
      return
    }
    saving.mutate({ api_token_max_days: wanted, api_tokens_may_create_admins: mayCreate ?? may })
  }
  return (
    <SettingsGroup
      id="token_rules"
      title={title}
      purpose={t('settings:token_rules.purpose')}
      updated={[updated['api_token_max_days'], updated['api_tokens_may_create_admins']]}
      saving={{
        isDirty: (typed !== null && wanted !== days) || (mayCreate !== null && mayCreate !== may),
        isRestored: unsaved.isRestored,
        isPending: saving.isPending,
        error: saving.error,
        onSave: save,
        onReset: reset,
      }}
    >
      <TextInput
        id="token-days"
        label={t('settings:token_rules.days')}
        description={t('settings:token_rules.days_help')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        className={styles['days'] ?? ''}
        inputMode="numeric"
        maxLength={5}
        rightSection={<span className="dimmed">{t('settings:runs.days')}</span>}
        rightSectionWidth={48}
        value={typed ?? String(days)}
        onChange={(event) => {
          unsaved.set({ typed: event.currentTarget.value })
          setRefused(false)
        }}
        error={isRefused ? t('settings:runs.retention_range') : null}
      />
      <Checkbox
        label={t('settings:token_rules.admins')}
        description={t('settings:token_rules.admins_help')}
        checked={mayCreate ?? may}
        onChange={(event) => unsaved.set({ mayCreate: event.currentTarget.checked })}
      />
    </SettingsGroup>
  )
}
