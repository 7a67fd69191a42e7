import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { SettingsGroup } from '../SettingsGroup.tsx'
import styles from '../settings.module.css'
import { useSaveSettings } from '../useSaveSettings.ts'

/** The allowed range of both settings, as in the contract: days and MB. */
const fields = [
  { name: 'payload_retention_days', text: 'days', least: 1, most: 90 },
  { name: 'payload_max_mb', text: 'size', least: 16, most: 1_048_576 },
] as const
type Name = (typeof fields)[number]['name']

const figureOf = (text: string): number => (/^\d{1,7}$/.test(text.trim()) ? Number(text) : Number.NaN)

/** Retention and maximum size of captured inputs and outputs. */
export function PayloadsGroup({ settings }: { readonly settings: Settings }) {
  const [typed, setTyped] = useState<Partial<Record<Name, string>>>({})
  const [refused, setRefused] = useState<readonly Name[]>([])
  const title = t('settings:payloads.title')
  const reset = (): void => {
    setTyped({})
    setRefused([])
    saving.reset()
  }
  const saving = useSaveSettings({ group: title, onSaved: reset })
  const figures = fields.map((field) => {
    const shown = typed[field.name] ?? String(settings[field.name])
    const figure = figureOf(shown)
    return { ...field, shown, figure, isAllowed: figure >= field.least && figure <= field.most }
  })
  const changed = figures.filter(({ name, figure }) => figure !== settings[name])

  const save = (): void => {
    const bad = figures.filter(({ isAllowed }) => !isAllowed).map(({ name }) => name)
    setRefused(bad)
    if (bad[0] !== undefined) document.getElementById(bad[0])?.focus()
    else saving.mutate(Object.fromEntries(changed.map(({ name, figure }) => [name, figure])))
  }

  return (
    <SettingsGroup
      id="payloads"
      title={title}
      purpose={t('settings:payloads.purpose')}
      updated={fields.map(({ name }) => settings.updated[name])}
      saving={{
        isDirty: changed.length > 0,
        isPending: saving.isPending,
        error: saving.error,
        onSave: save,
        onReset: reset,
      }}
    >
      {figures.map(({ name, text, shown }) => (
        <TextInput
          key={name}
          id={name}
          label={t(`settings:payloads.${text}`)}
          description={t(`settings:payloads.${text}_help`)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          className={styles['days'] ?? ''}
          inputMode="numeric"
          maxLength={7}
          rightSection={<span className="dimmed">{t(`settings:payloads.${text}_unit`)}</span>}
          rightSectionWidth={48}
          value={shown}
          onChange={(event) => {
            const { value } = event.currentTarget
            setTyped((before) => ({ ...before, [name]: value }))
            setRefused((before) => before.filter((one) => one !== name))
          }}
          error={refused.includes(name) ? t(`settings:payloads.${text}_range`) : null}
        />
      ))}
    </SettingsGroup>
  )
}
