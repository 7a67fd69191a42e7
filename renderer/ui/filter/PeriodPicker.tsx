import { Button, Group, Popover, Skeleton, Stack, UnstyledButton } from '@mantine/core'
import { IconCalendar, IconChevronDown } from '@tabler/icons-react'
import { type KeyboardEvent, lazy, Suspense, useState } from 'react'
import { useNow } from '../../lib/format/now.ts'
import {
  calendarPeriodNames,
  isCustom,
  type PeriodName,
  type PeriodSearch,
  relativePeriodNames,
} from '../../lib/format/period.ts'
import { t } from '../../lib/i18n.ts'
import styles from './PeriodPicker.module.css'
import { periodText, printedPeriod } from './periodText.ts'

const CustomRange = lazy(() =>
  import('./CustomRange.tsx').then((module) => ({ default: module.CustomRange })),
)

type Props = {
  readonly value: PeriodSearch
  readonly fallback: PeriodName
  readonly onChange: (next: PeriodSearch) => void
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const choices = [...event.currentTarget.querySelectorAll('button')]
  const at = choices.findIndex((choice) => choice.matches(':focus'))
  choices[(at + step + choices.length) % choices.length]?.focus()
}

/** Selects a period: the last 15 minutes to 90 days, all time, a day, week or month, or a custom range. */
export function PeriodPicker({ value, fallback, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [isCustomOpen, setCustomOpen] = useState(false)
  const now = useNow()
  const chosen = isCustom(value) ? null : (value.period ?? fallback)
  const toggle = (): void => {
    setOpen(!isOpen)
    setCustomOpen(isCustom(value))
  }
  const select = (next: PeriodSearch): void => {
    setOpen(false)
    onChange(next)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconCalendar size={14} />}
          rightSection={<IconChevronDown size={14} />}
          onClick={toggle}
          aria-label={t('common:period.label', { period: periodText(value, fallback) })}
        >
          <span className="screen-only">{periodText(value, fallback)}</span>
          <span className="print-only">{printedPeriod(value, fallback, now)}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm">
        <div className={styles['body']}>
          <Group gap={4} align="flex-start" wrap="nowrap" onKeyDown={moveFocus}>
            {[relativePeriodNames, calendarPeriodNames].map((names) => (
              <Stack gap={0} key={names[0]}>
                {names.map((name) => (
                  <UnstyledButton
                    key={name}
                    className={styles['choice'] ?? ''}
                    aria-pressed={name === chosen}
                    {...(name === chosen && { 'data-autofocus': true })}
                    onClick={() => select({ period: name, from: undefined, to: undefined })}
                  >
                    {t(`common:period.${name}`)}
                  </UnstyledButton>
                ))}
                {names === calendarPeriodNames && (
                  <UnstyledButton
                    className={styles['choice'] ?? ''}
                    aria-expanded={isCustomOpen}
                    onClick={() => setCustomOpen(!isCustomOpen)}
                  >
                    {t('common:period.custom')}
                  </UnstyledButton>
                )}
              </Stack>
            ))}
          </Group>
          {isCustomOpen && (
            <Suspense fallback={<Skeleton height={180} width={220} />}>
              <CustomRange value={value} onDone={(from, to) => select({ period: undefined, from, to })} />
            </Suspense>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
