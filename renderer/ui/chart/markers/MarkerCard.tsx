import type { ReactNode } from 'react'
import type { MarkerKind } from '../chart.ts'
import styles from './MarkerCard.module.css'
import { MarkerSign } from './MarkerSign.tsx'

type Props = {
  readonly title: string
  /** Items, each a link of class `markerLine` around `MarkerText`. */
  readonly children: ReactNode
  /** Link of class `markerMore` to the items that are not listed. */
  readonly rest?: ReactNode
}

/** Maximum number of listed items. `rest` links to the others. */
export const maxLines = 5
export const markerLine = styles['line'] ?? ''
export const markerMore = styles['more'] ?? ''

/** Content of the card about the markers at one place of the time axis. */
export function MarkerCard({ title, children, rest }: Props) {
  return (
    <>
      <p className={styles['title']}>{title}</p>
      <ul className={styles['list']}>{children}</ul>
      {rest}
    </>
  )
}

type TextProps = { readonly kind: MarkerKind; readonly summary: ReactNode; readonly facts: ReactNode }

export function MarkerText({ kind, summary, facts }: TextProps) {
  return (
    <>
      <MarkerSign kind={kind} />
      <span className={styles['text']}>
        <bdi className={styles['summary']}>{summary}</bdi>
        <span className="dimmed">{facts}</span>
      </span>
    </>
  )
}
