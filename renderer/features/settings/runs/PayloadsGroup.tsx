import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { payloadRanges, type Settings } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../shared/editing/useUnsaved.ts'
import { SettingsGroup } from '../SettingsGroup.tsx'
import styles from '../settings.module.css'
import { useSaveSettings } from '../useSaveSettings.ts'

const fields = [
  { name: 'payload_retention_days', text: 'days' },
  { name: 'payload_max_mb', text: 'size' },
] as const
type Name = (typeof fields)[number]['name']
const noChanges: Readonly<Partial<Record<Name, string>>> = {}

const parseWholeNumber = (text: string): number => (/^\d{1,7}$/.test(text.trim()) ? Number(text) : Number.NaN)

/** Retention and maximum size of captured inputs and outputs. */
export function PayloadsGroup({ settings }: { readonly settings: Settings }) {
  const unsaved = useUnsaved('settings.payloads', noChanges)
  const [invalidNames, setInvalidNames] = useState<readonly Name[]>([])
  const title = t('settings:payloads.title')
  const reset = (): void => {
    setInvalidNames([])
    saving.state.onReset()
  }
  const saving = useSaveSettings(title, unsaved)
  const inputs = fields.map((field) => {
    const shown = unsaved.values[field.name] ?? String(settings[field.name])
    const number = parseWholeNumber(shown)
    const { min, max } = payloadRanges[field.name]
    return { ...field, shown, number, isAllowed: number >= min && number <= max }
  })
  const changed = inputs.filter(({ name, number }) => number !== settings[name])

  const save = (): void => {
    const invalid = inputs.filter(({ isAllowed }) => !isAllowed).map(({ name }) => name)
    setInvalidNames(invalid)
    if (invalid[0] !== undefined) document.getElementById(invalid[0])?.focus()
    else saving.mutate(Object.fromEntries(changed.map(({ name, number }) => [name, number])))
  }

  return (
    <SettingsGroup
      id="payloads"
      title={title}
      purpose={t('settings:payloads.purpose')}
      updated={fields.map(({ name }) => settings.updated[name])}
      saving={{
        isDirty: changed.length > 0,
        ...saving.state,
        onSave: save,
        onReset: reset,
      }}
    >
      {inputs.map(({ name, text, shown }) => (
        <TextInput
          key={name}
          id={name}
          label={t(`settings:payloads.${text}`)}
          description={t(`settings:payloads.${text}_help`)}
          className={styles['days'] ?? ''}
          inputMode="numeric"
          maxLength={7}
          rightSection={<span className="dimmed">{t(`settings:payloads.${text}_unit`)}</span>}
          rightSectionWidth={48}
          value={shown}
          onChange={(event) => {
            const { value } = event.currentTarget
            unsaved.set({ [name]: value })
            setInvalidNames((before) => before.filter((other) => other !== name))
          }}
          error={invalidNames.includes(name) ? t(`settings:payloads.${text}_range`) : null}
        />
      ))}
    </SettingsGroup>
  )
}
