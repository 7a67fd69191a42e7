import { type Bucket, type Interval, ticksOf } from '../../lib/format/buckets.ts'
import { t } from '../../lib/i18n.ts'
import styles from './chart.module.css'
import type { Selected } from './useCrosshair.ts'

type Props = {
  readonly buckets: readonly Bucket[]
  readonly interval: Interval
  /** Index of the bucket at the crosshair. */
  readonly at: number | null
  readonly selected: Selected | null
}

/** Labels closer to an end than this share of the axis are aligned to stay inside it. */
const edgeShare = 0.03

function spanOf({ buckets, at, selected }: Props): string | null {
  const bucket = at === null ? undefined : buckets[at]
  if (bucket === undefined) return null
  if (selected !== null && selected.first !== selected.last) {
    return t('common:chart.selected', {
      from: buckets[selected.first]?.label ?? '',
      to: buckets[selected.last]?.label ?? '',
    })
  }
  return bucket.isOpen ? t('common:chart.so_far', { span: bucket.label }) : bucket.label
}

/** Time axis of all panels, with the time at the crosshair. */
export function TimeAxis(props: Props) {
  const { buckets, interval, at } = props
  const span = spanOf(props)
  return (
    <div className={styles['timeAxis']} aria-hidden="true">
      {ticksOf(buckets, interval).map(({ index, label }) => {
        const x = index / buckets.length
        return (
          <span
            key={index}
            className={styles['tick']}
            style={{ left: `${100 * x}%` }}
            data-edge={x < edgeShare ? 'start' : x > 1 - edgeShare ? 'end' : undefined}
          >
            {label}
          </span>
        )
      })}
      {span !== null && (
        <span
          className={styles['timeTag']}
          style={{ '--x': ((at ?? 0) + 0.5) / buckets.length } as Record<string, number>}
        >
          {span}
        </span>
      )}
    </div>
  )
}
