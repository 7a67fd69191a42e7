import { CloseButton, Popover, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import styles from './FilterBar.module.css'
import { describeFilter, type FilterField, type FilterValue } from './filters.ts'
import { LazyFilterEditor } from './LazyFilterEditor.tsx'

type Props = {
  readonly field: FilterField
  readonly value: unknown
  readonly onChange: (value: FilterValue) => void
}

/** Chip of an active filter: `status: error ×`. A click edits it. */
export function FilterChip({ field, value, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const text = describeFilter(field, value)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" returnFocus withRoles={false}>
      <Popover.Target>
        <span className={styles['chip']}>
          <UnstyledButton className={styles['chipText'] ?? ''} onClick={() => setOpen(!isOpen)}>
            <span className="dimmed">{field.label}:</span> <span className="truncate">{text}</span>
          </UnstyledButton>
          <CloseButton
            size={18}
            iconSize={12}
            aria-label={t('common:filter.remove', { field: field.label })}
            onClick={() => onChange(undefined)}
          />
        </span>
      </Popover.Target>
      <Popover.Dropdown p="md">
        <LazyFilterEditor
          field={field}
          value={value}
          onDone={(next) => {
            setOpen(false)
            onChange(next)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
