import type { ReactNode } from 'react'
import type { Excerpt } from '../../../../contract/runs/run-content.ts'
import { t } from '../../../lib/i18n.ts'
import styles from '../runs.module.css'

/** Characters displayed before the first match, because a row shows only one line. */
const leadLength = 24

/** The part of a captured text that matches the search, with the matches marked. */
export function ExcerptText({ excerpt: { field, text, marks } }: { readonly excerpt: Excerpt }) {
  const first = marks[0]?.[0] ?? 0
  const start = first > leadLength ? text.lastIndexOf(' ', first - leadLength) + 1 : 0
  const parts: ReactNode[] = start > 0 && !text.startsWith('…', start) ? ['…'] : []
  let at = start
  for (const [from = 0, to = 0] of marks) {
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>)
    at = to
  }
  parts.push(text.slice(at))
  return (
    <span className={`rest ${styles['excerpt']}`}>
      <span className="dimmed">{t(`runs:field.${field}`)}</span>
      <bdi className="truncate" title={text}>
        {parts}
      </bdi>
    </span>
  )
}
