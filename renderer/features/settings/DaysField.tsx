import { TextInput } from '@mantine/core'
import { maxDays } from '../../../contract/system/settings.ts'
import { t } from '../../lib/i18n.ts'
import styles from './settings.module.css'

/** Returns the number of days; null if the text is not a number in the allowed range. */
export function parseDays(text: string): number | null {
  const days = Number(text.trim())
  return /^\d+$/.test(text.trim()) && days >= 1 && days <= maxDays ? days : null
}

type Props = {
  readonly id: string
  readonly label: string
  readonly description: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly isInvalid: boolean
  readonly readOnly?: boolean
}

/** A field for a number of days. `isInvalid`: shows the allowed range as an error. */
export function DaysField({ isInvalid, onChange, ...field }: Props) {
  return (
    <TextInput
      {...field}
      className={styles['days'] ?? ''}
      inputMode="numeric"
      maxLength={5}
      rightSection={<span className="dimmed">{t('settings:runs.days')}</span>}
      rightSectionWidth={48}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={isInvalid ? t('settings:runs.retention_range') : null}
    />
  )
}
