import type { ReactNode } from 'react'
import styles from './Bars.module.css'

export type Bar = {
  readonly key: string
  readonly label: ReactNode
  /** Determines the length of the bar. */
  readonly value: number
  readonly cells: readonly ReactNode[]
  readonly onOpen?: () => void
  /** True if the page is filtered by this slice. */
  readonly isChosen?: boolean
}

type Props = {
  readonly label: string
  /** Titles: first that of the label, then one per cell. */
  readonly columns: readonly string[]
  readonly bars: readonly Bar[]
  readonly empty: ReactNode
}

/**
 * Table of a breakdown: one row per slice, with its share as a bar behind the label. A row opens its slice.
 */
export function Bars({ label, columns, bars, empty }: Props) {
  const longest = Math.max(1, ...bars.map((bar) => bar.value))
  if (bars.length === 0) return <div className="dimmed">{empty}</div>
  return (
    <table className={styles['table']} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column, index) => (
            <th key={column} scope="col" data-number={index > 0 || undefined}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr
            key={bar.key}
            data-clickable={bar.onOpen !== undefined || undefined}
            data-chosen={bar.isChosen === true || undefined}
            onClick={bar.onOpen}
          >
            <th scope="row">
              <span
                className={styles['bar']}
                style={{ width: `${(100 * bar.value) / longest}%` }}
                aria-hidden="true"
              />
              <span className={styles['label']}>
                {bar.onOpen === undefined ? (
                  bar.label
                ) : (
                  <button
                    type="button"
                    className={styles['open']}
                    aria-pressed={bar.isChosen}
                    onClick={(event) => {
                      event.stopPropagation()
                      bar.onOpen?.()
                    }}
                  >
                    {bar.label}
                  </button>
                )}
              </span>
            </th>
            {bar.cells.map((cell, index) => (
              <td key={columns[index + 1] ?? index}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
