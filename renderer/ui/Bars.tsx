import type { ReactNode } from 'react'
import styles from './Bars.module.css'

export type Bar = {
  readonly key: string
  readonly label: ReactNode
  /** What the length stands for. */
  readonly value: number
  readonly cells: readonly ReactNode[]
  readonly onOpen?: () => void
  /** The page shows this slice alone. */
  readonly isChosen?: boolean
}

type Props = {
  readonly label: string
  /** First the label's column, then one per cell. */
  readonly columns: readonly string[]
  readonly bars: readonly Bar[]
  readonly empty: ReactNode
}

/** A breakdown: one row per slice, its share as a bar behind the label, each row leading to its rows. */
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
