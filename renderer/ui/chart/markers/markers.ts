import type { Bucket } from '../../../lib/format/buckets.ts'
import type { Marker, MarkerGroup, MarkerKind } from '../chart.ts'

/** Minimum distance of two markers with counts of two digits, in pixels. Closer ones would overlap. */
const minGroupWidth = 40

/** Priority of the kinds: a group has the symbol of the kind with the highest. */
const weights: Readonly<Record<MarkerKind, number>> = { rollback: 3, publish: 2, role: 1, denied: 0 }

/** Returns the kind whose symbol a group shows. */
export const kindOf = ({ markers }: MarkerGroup): MarkerKind =>
  markers.reduce<MarkerKind>(
    (kind, marker) => (weights[marker.kind] > weights[kind] ? marker.kind : kind),
    'denied',
  )

export type PositionedGroup = MarkerGroup & {
  /** Position on the axis, from 0 to 1. */
  readonly x: number
  /** Index of the bucket below it. */
  readonly index: number
}

/**
 * Groups markers by bucket. Buckets narrower than a marker share a group. `width` is that of the axis in
 * pixels.
 */
export function groupMarkers(
  markers: readonly Marker[],
  buckets: readonly Bucket[],
  width: number,
): readonly PositionedGroup[] {
  const starts = buckets.map(({ start }) => Date.parse(start))
  const perGroup = Math.max(1, Math.ceil((minGroupWidth * buckets.length) / Math.max(1, width)))
  // The last slot includes the remaining buckets. A marker of their own would overlap its neighbour.
  const lastSlot = Math.max(0, Math.floor(buckets.length / perGroup) - 1)
  const bySlot = new Map<number, Marker[]>()
  for (const marker of markers) {
    const index = starts.findLastIndex((start) => start <= marker.at)
    if (index === -1) continue
    const slot = Math.min(lastSlot, Math.floor(index / perGroup))
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), marker])
  }
  return [...bySlot]
    .sort(([a], [b]) => a - b)
    .flatMap(([slot, markersInSlot]) => {
      const first = slot * perGroup
      const last = slot === lastSlot ? buckets.length - 1 : first + perGroup - 1
      const [from, to] = [buckets[first], buckets[last]]
      if (from === undefined || to === undefined) return []
      return [
        {
          key: from.start,
          from: from.from,
          to: to.to,
          markers: markersInSlot.toSorted((a, b) => b.at - a.at),
          x: (first + last + 1) / 2 / buckets.length,
          index: Math.floor((first + last) / 2),
        },
      ]
    })
}
