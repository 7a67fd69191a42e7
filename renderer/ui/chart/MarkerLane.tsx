import { useElementSize } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { Bucket } from '../../lib/buckets.ts'
import { t } from '../../lib/i18n.ts'
import type { Marker, MarkerGroup } from './chart.ts'
import { MarkerSpot } from './MarkerSpot.tsx'
import styles from './markers.module.css'
import { groupMarkers } from './markers.ts'

type Props = {
  readonly markers: readonly Marker[]
  readonly buckets: readonly Bucket[]
  /** Puts the crosshair where a marker is; null takes it away. */
  readonly onLook: (index: number | null) => void
  readonly onOpen: (marker: Marker) => void
  readonly card: (group: MarkerGroup) => ReactNode
}

/** Counts until the lane was measured, in pixels. */
const usualWidth = 1000

/** What happened, above the axis it happened on. */
export function MarkerLane({ markers, buckets, onLook, onOpen, card }: Props) {
  const { ref, width } = useElementSize<HTMLUListElement>()
  const groups = groupMarkers(markers, buckets, width === 0 ? usualWidth : width)
  return (
    <>
      <ul ref={ref} className={styles['lane']} aria-label={t('common:chart.events')}>
        {groups.map((group) => (
          <MarkerSpot key={group.key} group={group} onLook={onLook} onOpen={onOpen} card={card} />
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
