import { type PointerEvent, type ReactNode, useId } from 'react'
import type { Bucket, Interval } from '../../lib/format/buckets.ts'
import { t } from '../../lib/i18n.ts'
import styles from './chart.module.css'
import { type Marker, type MarkerGroup, type Plot, segmentAt, valueTextAt } from './chart.ts'
import { MarkerLane } from './markers/MarkerLane.tsx'
import { Panel } from './Panel.tsx'
import { PanelHead } from './PanelHead.tsx'
import { TimeAxis } from './TimeAxis.tsx'
import { useCrosshair } from './useCrosshair.ts'

type Props = {
  readonly label: string
  readonly buckets: readonly Bucket[]
  readonly interval: Interval
  readonly plots: readonly Plot[]
  /** Null without a row for markers. */
  readonly markers: readonly Marker[] | null
  /** Content of a marker's card. */
  readonly card: (group: MarkerGroup) => ReactNode
  /** A button for a panel. */
  readonly panelAction?: (plot: Plot) => ReactNode
  readonly onOpenMarker: (marker: Marker) => void
  readonly onZoom: (from: string, to: string) => void
  /** Opens a bucket. `isFailures`: only its failures, after a click on their segment of a bar. */
  readonly onOpen: (bucket: Bucket, isFailures: boolean) => void
  /** Opens the changes made before a bucket. */
  readonly onBefore: (bucket: Bucket) => void
}

/** True if a click hits the segment of failures of a stacked bar. */
function hitsFailures(event: PointerEvent, plots: readonly Plot[], index: number): boolean {
  const stack = event.currentTarget.parentElement
  return plots.some((plot) => {
    const panel = stack?.querySelector(`[data-plot="${CSS.escape(plot.key)}"]`)?.getBoundingClientRect()
    if (panel === undefined || event.clientY < panel.top || event.clientY > panel.bottom) return false
    return segmentAt(plot, index, panel.bottom - event.clientY)?.tone === 'bad'
  })
}

/**
 * Panels over one time axis with one crosshair. Dragging zooms, a click opens a bucket, and markers show
 * events.
 */
export function TimeCharts(props: Props) {
  const { label, buckets, interval, plots, markers, card, onOpenMarker } = props
  const help = useId()
  const count = buckets.length
  const crosshair = useCrosshair({
    count,
    onZoom: ({ first, last }) => {
      const [from, to] = [buckets[first], buckets[last]]
      if (from !== undefined && to !== undefined) props.onZoom(from.from, to.to)
    },
    onOpen: (index, event, isFailures) => {
      const bucket = buckets[index]
      if (bucket !== undefined)
        props.onOpen(bucket, isFailures || (event !== null && hitsFailures(event, plots, index)))
    },
    onBefore: (index) => {
      const bucket = buckets[index]
      if (bucket !== undefined) props.onBefore(bucket)
    },
  })
  const { at, selected } = crosshair
  const valueText = (index: number): string =>
    [buckets[index]?.label, ...plots.map((plot) => `${plot.title}: ${valueTextAt(plot, index)}`)].join('; ')
  const percent = (index: number): string => `${(100 * index) / count}%`
  return (
    <div className={styles['charts']}>
      <div className={styles['stack']}>
        {markers !== null && (
          <MarkerLane
            markers={markers}
            buckets={buckets}
            onHover={crosshair.setHovered}
            onOpen={onOpenMarker}
            card={card}
          />
        )}
        {plots.map((plot) => (
          <div key={plot.key}>
            <PanelHead plot={plot} at={at} action={props.panelAction?.(plot)} />
            <Panel plot={plot} />
          </div>
        ))}
        <div
          className={styles['crosshair']}
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-describedby={help}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, count - 1)}
          aria-valuenow={at ?? Math.max(0, count - 1)}
          aria-valuetext={valueText(at ?? count - 1)}
          data-testid="crosshair"
          {...crosshair.handlers}
        >
          {at !== null && (
            <i className={styles['band']} style={{ left: percent(at), width: percent(1) }} data-cross="" />
          )}
          {selected !== null && (
            <i
              className={styles['selection']}
              style={{ left: percent(selected.first), width: percent(selected.last - selected.first + 1) }}
              data-testid="selection"
            />
          )}
        </div>
        <TimeAxis buckets={buckets} interval={interval} at={at} selected={selected} />
      </div>
      <p className={styles['hint']} aria-hidden="true">
        {t('common:chart.hint')}
      </p>
      <span id={help} className={styles['help']}>
        {t('common:chart.help')}
      </span>
    </div>
  )
}
