import { formatDuration } from '../../lib/format/format.ts'

/** A duration: 840 ms · 1.2 s · 3 min */
export function Duration({ ms }: { readonly ms: number | null }) {
  return <span className="tabular">{formatDuration(ms)}</span>
}
