import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './content.module.css'

type Props = {
  readonly value: unknown
  readonly name?: string
  /** Levels that are open at first. */
  readonly openLevels?: number
}

/** Number of entries of one level that are shown. */
const maxEntries = 200

/** A JSON value as a tree, whose objects and lists fold. */
export function JsonTree({ value, name, openLevels = 2 }: Props) {
  const label = name !== undefined && <span className={styles['name']}>{name}: </span>
  if (typeof value !== 'object' || value === null)
    return (
      <div className={styles['leaf']}>
        {label}
        <span data-type={value === null ? 'null' : typeof value}>
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </span>
      </div>
    )
  const entries = Object.entries(value)
  const count = formatNumber(entries.length)
  return (
    <details className={styles['node']} open={openLevels > 0}>
      <summary>
        {label}
        <span className="dimmed">{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </summary>
      {entries.slice(0, maxEntries).map(([key, inner]) => (
        <JsonTree key={key} name={key} value={inner} openLevels={openLevels - 1} />
      ))}
      {entries.length > maxEntries && (
        <div className="dimmed">{t('run_content:more', { count: entries.length - maxEntries })}</div>
      )}
    </details>
  )
}
