import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import type { Plot } from './chart.ts'
import styles from './Panel.module.css'

/** Short names stay whole beside long ones, which are shortened. 12 px are for the swatch. */
const minWidthOf = (label: string): string => `calc(12px + ${Math.min(label.length, 6)}ch)`

/** Two joined names are shortened separately, the first one first, so that groups with the same first name differ. */
function partsOf(label: string): ReactNode {
  const at = label.indexOf(' · ')
  return at === -1
    ? label
    : [label.slice(0, at), label.slice(at)].map((part) => <span key={part}>{part}</span>)
}

type Props = {
  readonly plot: Plot
  /** Index of the bucket at the crosshair; null shows the legend without values. */
  readonly at: number | null
  /** A button for this panel. */
  readonly action?: ReactNode
}

/**
 * A panel's title and legend. The legend shows the values at the crosshair, so that no tooltip covers the
 * chart.
 */
export function PanelHead({ plot, at, action }: Props) {
  return (
    <div className={styles['panelHead']} data-testid={`plot-${plot.key}`}>
      <span className={styles['panelTitle']}>{plot.title}</span>
      {action !== undefined && <span className={styles['panelAction']}>{action}</span>}
      <span className={styles['legend']}>
        {plot.series.map(({ key, label, tone, values }) => (
          <span key={key} style={{ minWidth: minWidthOf(label) }}>
            <i className={styles['swatch']} data-tone={tone} data-shape={plot.shape} />
            <bdi title={label}>{partsOf(label)}</bdi>
            {at !== null && <b>{plot.format(values[at] ?? null)}</b>}
          </span>
        ))}
        {plot.before !== undefined && (
          <span>
            <i className={styles['swatch']} data-shape="previous" />
            <bdi>{t('common:chart.before')}</bdi>
            {at !== null && <b>{plot.format(plot.before[at] ?? null)}</b>}
          </span>
        )}
      </span>
    </div>
  )
}
