import '@mantine/dates/styles.layer.css'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { formatUtc, zoneName } from '../../lib/format/format.ts'
import type { PeriodSearch } from '../../lib/format/period.ts'
import { t } from '../../lib/i18n.ts'
import styles from './PeriodPicker.module.css'

export type CustomRangeProps = {
  readonly value: PeriodSearch
  readonly onDone: (from: string | undefined, to: string | undefined) => void
}

/** Converts to the format of `<input type="datetime-local">`: local time without a zone. */
function toLocalInput(iso: string | undefined): string {
  if (iso === undefined) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** Returns the date of a local time; null if it is empty. */
const dateOf = (text: string): string | null => (text === '' ? null : text.slice(0, 10))

/** Returns midnight after a date, which is the exclusive end of its day. */
function endOfDay(date: string): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return toLocalInput(new Date(year, month - 1, day + 1).toISOString())
}

/** Returns the last day before an exclusive end. */
function lastDateBefore(text: string): string | null {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? null : dateOf(toLocalInput(new Date(at.getTime() - 1).toISOString()))
}

const fromLocalInput = (text: string): string | undefined => {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** Keeps a time that was not edited: its text is not exact, and ambiguous when clocks go back. */
const isoOf = (text: string, before: string | undefined): string | undefined =>
  text === toLocalInput(before) ? before : fromLocalInput(text)

/** Limits the year to four digits while it is typed. */
const maxInput = '9999-12-31T23:59:59'

/**
 * Form for the start and end of a custom period: days in a calendar, or exact times. They are local; the
 * address and the service get UTC.
 */
export function CustomRange({ value, onDone }: CustomRangeProps) {
  const [from, setFrom] = useState(toLocalInput(value.from))
  const [to, setTo] = useState(toLocalInput(value.to))
  const [isSubmitted, setSubmitted] = useState(false)
  const firstInput = useRef<HTMLInputElement>(null)
  useEffect(() => firstInput.current?.focus(), [])
  const [fromIso, toIso] = [isoOf(from, value.from), isoOf(to, value.to)]
  const isEmpty = fromIso === undefined && toIso === undefined
  const isBackwards = fromIso !== undefined && toIso !== undefined && fromIso >= toIso
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setSubmitted(true)
    if (!isEmpty && !isBackwards) onDone(fromIso, toIso)
  }
  return (
    <form onSubmit={submit} className={styles['custom']}>
      <Stack gap="sm">
        <DatePicker
          type="range"
          size="xs"
          allowSingleDateInRange
          firstDayOfWeek={1}
          weekendDays={[]}
          hideOutsideDates
          ariaLabels={{
            previousMonth: t('common:period.previous_month'),
            nextMonth: t('common:period.next_month'),
            previousYear: t('common:period.previous_year'),
            nextYear: t('common:period.next_year'),
            previousDecade: t('common:period.previous_decade'),
            nextDecade: t('common:period.next_decade'),
          }}
          aria-label={t('common:period.days')}
          value={[dateOf(from), lastDateBefore(to)]}
          onChange={([first, last]) => {
            setFrom(first === null ? '' : `${first}T00:00:00`)
            setTo(last === null ? '' : endOfDay(last))
          }}
        />
        <TextInput
          ref={firstInput}
          size="xs"
          type="datetime-local"
          step={1}
          max={maxInput}
          label={t('common:period.from')}
          description={fromIso && formatUtc(new Date(fromIso))}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          error={isSubmitted && isEmpty ? t('common:period.missing') : null}
        />
        <TextInput
          size="xs"
          type="datetime-local"
          step={1}
          max={maxInput}
          label={t('common:period.to')}
          description={toIso && formatUtc(new Date(toIso))}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          error={isBackwards ? t('common:period.backwards') : null}
        />
        <Text size="xs" c="dimmed">
          {t('common:period.zone', { zone: zoneName() })}
        </Text>
        <Group justify="flex-end">
          <Button type="submit">{t('common:filter.apply')}</Button>
        </Group>
      </Stack>
    </form>
  )
}
