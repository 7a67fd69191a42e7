import { Button } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import { unknown } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Badge, type Tone } from '../../ui/display/Badge.tsx'
import styles from './import.module.css'
import type { Imported } from './import.ts'

export const tones: Readonly<Record<Imported['outcome'], Tone>> = {
  create: 'ok',
  update: 'accent',
  unchanged: 'quiet',
  skip: 'quiet',
  refuse: 'bad',
}

/** Parts of a row that depend on the kind of item. */
export type RowSlots<I extends Imported> = {
  /** A column after the key. */
  readonly column?: { readonly title: string; readonly render: (item: I) => ReactNode }
  /** Returns a note on the resulting version; null for none. */
  readonly resultNoteOf: (item: I) => string | null
  /** Returns the changes to an existing item, below its row; null for none. */
  readonly changeOf?: (item: I) => ReactNode
}

export function ImportRow<I extends Imported>({
  item,
  column,
  resultNoteOf,
  changeOf,
}: RowSlots<I> & { readonly item: I }) {
  const [isOpen, setOpen] = useState(false)
  const panel = useId()
  const change = changeOf?.(item) ?? null
  const name = { key: item.key ?? '' }
  return (
    <>
      <tr>
        <td>
          <span className="mono">{item.key ?? unknown}</span>
          <div className="dimmed">{item.file}</div>
        </td>
        {column && <td>{column.render(item)}</td>}
        <td>
          <Badge tone={tones[item.outcome]}>{t(`transfer:import.${item.outcome}`)}</Badge>
        </td>
        <td>
          <Reasons item={item} resultNote={resultNoteOf(item)} />
          {change !== null && (
            <Button
              variant="subtle"
              size="compact-xs"
              ml={-8}
              leftSection={isOpen ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
              aria-expanded={isOpen}
              aria-controls={isOpen ? panel : undefined}
              aria-label={t(isOpen ? 'transfer:import.hide_of' : 'transfer:import.show_of', name)}
              onClick={() => setOpen(!isOpen)}
            >
              {t(isOpen ? 'transfer:import.hide' : 'transfer:import.show')}
            </Button>
          )}
        </td>
      </tr>
      {change !== null && isOpen && (
        <tr id={panel} className={styles['details']}>
          <td colSpan={column ? 4 : 3}>{change}</td>
        </tr>
      )}
    </>
  )
}

function Reasons({ item, resultNote }: { readonly item: Imported; readonly resultNote: string | null }) {
  return (
    <>
      {item.errors.map(({ path, message }) => (
        <div key={`${path} ${message}`} className={styles['bad']}>
          {path !== '' && <span className="mono">{path}: </span>}
          {message}
        </div>
      ))}
      {item.changes.length > 0 && (
        <div>{t('transfer:import.changes', { fields: item.changes.join(', ') })}</div>
      )}
      {resultNote !== null && <div className="dimmed">{resultNote}</div>}
      {item.notes.map((note) => (
        <div key={note} className="dimmed">
          {note}
        </div>
      ))}
    </>
  )
}
