import { Checkbox, Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import type { Settings, UpdateSettingsBody } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../shared/editing/useUnsaved.ts'
import { DaysField, parseDays } from '../DaysField.tsx'
import { SettingsGroup } from '../SettingsGroup.tsx'
import { useSaveSettings } from '../useSaveSettings.ts'

type Unsaved = { readonly typed: string | null; readonly isAllowed: boolean | null }
const noChanges: Unsaved = { typed: null, isAllowed: null }

type Props = {
  readonly id: 'devices' | 'token_rules'
  readonly settings: Settings
  /** The id of the field with the number of days. */
  readonly fieldId: string
  readonly days: 'device_days' | 'api_token_max_days'
  /** The setting of the checkbox. */
  readonly permission: 'lan_password_sign_in' | 'api_tokens_may_create_admins'
  readonly permissionTexts: { readonly label: string; readonly description: string }
  /** Links to the pages that the settings apply to. */
  readonly links: ReactNode
}

/** A group of two settings: a lifetime in days, and a checkbox that permits something. */
export function LifetimeGroup({
  id,
  settings,
  fieldId,
  days,
  permission,
  permissionTexts,
  links,
}: Props): ReactNode {
  const current = { days: settings[days], isAllowed: settings[permission] }
  const unsaved = useUnsaved(`settings.${id}`, noChanges)
  const { typed, isAllowed } = unsaved.values
  const [isInvalid, setInvalid] = useState(false)
  const title = t(`settings:${id}.title`)
  const reset = (): void => {
    setInvalid(false)
    saving.state.onReset()
  }
  const saving = useSaveSettings(title, unsaved)
  const newDays = parseDays(typed ?? String(current.days))
  const save = (): void => {
    if (newDays === null) {
      setInvalid(true)
      document.getElementById(fieldId)?.focus()
      return
    }
    const body: z.input<typeof UpdateSettingsBody> = {
      [days]: newDays,
      [permission]: isAllowed ?? current.isAllowed,
    }
    saving.mutate(body)
  }
  return (
    <SettingsGroup
      id={id}
      title={title}
      purpose={t(`settings:${id}.purpose`)}
      updated={[settings.updated[days], settings.updated[permission]]}
      saving={{
        isDirty:
          (typed !== null && newDays !== current.days) ||
          (isAllowed !== null && isAllowed !== current.isAllowed),
        ...saving.state,
        onSave: save,
        onReset: reset,
      }}
    >
      <Group gap="sm">{links}</Group>
      <DaysField
        id={fieldId}
        label={t(`settings:${id}.days`)}
        description={t(`settings:${id}.days_help`)}
        value={typed ?? String(current.days)}
        onChange={(text) => {
          unsaved.set({ typed: text })
          setInvalid(false)
        }}
        isInvalid={isInvalid}
      />
      <Checkbox
        {...permissionTexts}
        checked={isAllowed ?? current.isAllowed}
        onChange={(event) => unsaved.set({ isAllowed: event.currentTarget.checked })}
      />
    </SettingsGroup>
  )
}
