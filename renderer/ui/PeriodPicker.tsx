import { Button, Group, Popover, Stack, TextInput, UnstyledButton } from '@mantine/core'
import { IconCalendar, IconChevronDown } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { formatClock, formatDate } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'
import { isCustom, type PeriodName, type PeriodSearch, periodNames } from '../lib/period.ts'
import styles from './PeriodPicker.module.css'

type Props = {
  readonly value: PeriodSearch
  readonly fallback: PeriodName
  readonly onChange: (next: PeriodSearch) => void
}

/** For `<input type="datetime-local">`, which speaks local time without a zone. */
function toLocalInput(iso: string | undefined): string {
  if (iso === undefined) return ''
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const fromLocalInput = (text: string): string | undefined =>
  text === '' ? undefined : new Date(text).toISOString()

const point = (iso: string): string => {
  const at = new Date(iso)
  return `${formatDate(at)} ${formatClock(at)}`
}

function describe(value: PeriodSearch, fallback: PeriodName): string {
  if (!isCustom(value)) return t(`common:period.${value.period ?? fallback}`)
  if (value.from === undefined) return t('common:period.until', { to: point(value.to ?? '') })
  if (value.to === undefined) return t('common:period.since', { from: point(value.from) })
  return `${point(value.from)} – ${point(value.to)}`
}

/** Last 15 minutes to 90 days, all time, or from and to. */
export function PeriodPicker({ value, fallback, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconCalendar size={14} />}
          rightSection={<IconChevronDown size={14} />}
          onClick={() => setOpen(!isOpen)}
          aria-label={t('common:period.label', { period: describe(value, fallback) })}
        >
          {describe(value, fallback)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm">
        <div className={styles['body']}>
          <Stack gap={0}>
            {periodNames.map((name) => (
              <UnstyledButton
                key={name}
                className={styles['choice'] ?? ''}
                aria-pressed={!isCustom(value) && (value.period ?? fallback) === name}
                onClick={() => {
                  setOpen(false)
                  onChange({ period: name, from: undefined, to: undefined })
                }}
              >
                {t(`common:period.${name}`)}
              </UnstyledButton>
            ))}
          </Stack>
          <CustomRange
            value={value}
            onDone={(from, to) => {
              setOpen(false)
              onChange({ period: undefined, from, to })
            }}
          />
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

type CustomProps = {
  readonly value: PeriodSearch
  readonly onDone: (from: string | undefined, to: string | undefined) => void
}

function CustomRange({ value, onDone }: CustomProps) {
  const [from, setFrom] = useState(toLocalInput(value.from))
  const [to, setTo] = useState(toLocalInput(value.to))
  const isBackwards = from !== '' && to !== '' && from >= to
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isBackwards && (from !== '' || to !== '')) onDone(fromLocalInput(from), fromLocalInput(to))
  }
  return (
    <form onSubmit={submit} className={styles['custom']}>
      <Stack gap="sm">
        <TextInput
          size="xs"
          type="datetime-local"
          label={t('common:period.from')}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          type="datetime-local"
          label={t('common:period.to')}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          error={isBackwards ? t('common:period.backwards') : null}
        />
        <Group justify="flex-end">
          <Button type="submit" variant="default">
            {t('common:filter.apply')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
