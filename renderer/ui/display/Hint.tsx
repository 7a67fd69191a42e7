import { Tooltip } from '@mantine/core'
import { cloneElement, createContext, type ReactElement, useContext } from 'react'

/** Place of values: a table row, a detail view, or elsewhere (possibly inside a link). */
export const HintContext = createContext<'row' | 'detail' | 'other'>('other')

type Props = {
  /** Lines are separated by a line break. */
  readonly label: string
  readonly children: ReactElement<{ tabIndex?: number; 'data-hint'?: string }>
}

/**
 * Tooltip of a value, on hover and on focus. In a table only the row is focusable, and all cells share one
 * tooltip (see `TableHints`), because one for each of hundreds of cells would make a long list slow.
 */
export function Hint({ label, children }: Props) {
  const place = useContext(HintContext)
  if (place === 'row') return cloneElement(children, { 'data-hint': label })
  return (
    <Tooltip label={<span style={{ whiteSpace: 'pre-line' }}>{label}</span>}>
      {place === 'detail' ? cloneElement(children, { tabIndex: 0 }) : children}
    </Tooltip>
  )
}
