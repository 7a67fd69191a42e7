import { Tooltip } from '@mantine/core'
import { cloneElement, createContext, type ReactElement, useContext } from 'react'

/** Where values stand: in the row of a table, in a detail view, or anywhere else (inside a link, perhaps). */
export const HintPlace = createContext<'row' | 'detail' | 'other'>('other')

type Props = {
  /** Lines are parted by a line break. */
  readonly label: string
  readonly children: ReactElement<{ tabIndex?: number; 'data-hint'?: string }>
}

/**
 * More about a value, on hover and on focus. In a table the row is what takes focus, and one hint serves all its cells
 * (see TableHints): a tooltip of its own for each of hundreds of cells is what makes a long list slow.
 */
export function Hint({ label, children }: Props) {
  const place = useContext(HintPlace)
  if (place === 'row') return cloneElement(children, { 'data-hint': label })
  return (
    <Tooltip label={<span style={{ whiteSpace: 'pre-line' }}>{label}</span>}>
      {place === 'detail' ? cloneElement(children, { tabIndex: 0 }) : children}
    </Tooltip>
  )
}
