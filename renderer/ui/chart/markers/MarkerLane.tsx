import { useElementSize } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { Bucket } from '../../../lib/format/buckets.ts'
import { t } from '../../../lib/i18n.ts'
import type { Marker, MarkerGroup } from '../chart.ts'
import { MarkerSpot } from './MarkerSpot.tsx'
import styles from './markers.module.css'
import { groupMarkers } from './markers.ts'

type Props = {
  readonly markers: readonly Marker[]
  readonly buckets: readonly Bucket[]
  /** Moves the crosshair to the marker's bucket; null hides it. */
  readonly onHover: (index: number | null) => void
  readonly onOpen: (marker: Marker) => void
  readonly card: (group: MarkerGroup) => ReactNode
}

/** Width used until the lane is measured, in pixels. */
const defaultWidth = 1000

/** Row of markers above the time axis. */
export function MarkerLane({ markers, buckets, onHover, onOpen, card }: Props) {
  const { ref, width } = useElementSize<HTMLUListElement>()
  const groups = groupMarkers(markers, buckets, width === 0 ? defaultWidth : width)
  return (
    <>
      <ul ref={ref} className={styles['lane']} aria-label={t('common:chart.events')}>
        {groups.map((group) => (
          <MarkerSpot key={group.key} group={group} onHover={onHover} onOpen={onOpen} card={card} />
        ))}
      </ul>
      <div className={styles['markerLines']} aria-hidden="true">
        {groups.map(({ key, x }) => (
          <i key={key} style={{ left: `${100 * x}%` }} />
        ))}
      </div>
    </>
  )
}
