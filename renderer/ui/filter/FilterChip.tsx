import { CloseButton, Popover, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import styles from './FilterBar.module.css'
import { type Condition, describeFilter, type FilterValue } from './filters.ts'
import { LazyFilterEditor } from './LazyFilterEditor.tsx'

type Props = {
  readonly condition: Condition
  readonly value: unknown
  readonly onChange: (value: FilterValue, isNegated: boolean) => void
}

/** Chip of an active filter: `status: error ×`. A click edits it. */
export function FilterChip({ condition, value, onChange }: Props) {
  const { field, isNegated } = condition
  const label = isNegated ? t('common:filter.not', { field: field.label }) : field.label
  const [isOpen, setOpen] = useState(false)
  const text = describeFilter(field, value)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" returnFocus withRoles={false}>
      <Popover.Target>
        <span className={styles['chip']}>
          <UnstyledButton className={styles['chipText'] ?? ''} onClick={() => setOpen(!isOpen)}>
            <span className="dimmed">{label}:</span> <span className="truncate">{text}</span>
          </UnstyledButton>
          <CloseButton
            size={18}
            iconSize={12}
            aria-label={t('common:filter.remove', { field: label })}
            onClick={() => onChange(undefined, isNegated)}
          />
        </span>
      </Popover.Target>
      <Popover.Dropdown p="md">
        <LazyFilterEditor
          condition={condition}
          value={value}
          onDone={(next, isNextNegated) => {
            setOpen(false)
            onChange(next, isNextNegated)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
