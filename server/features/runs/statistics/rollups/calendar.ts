import { dayMs, hourMs } from '../../../../lib/durations.ts'

export const tiers = { hour: 1, day: 2, month: 3 } as const
export type SpanTier = 1 | 2 | 3
/** Returns the start of the interval that contains a time. Hours, days and months are in UTC. */
export function floorTo(tier: SpanTier, at: number): number {
  if (tier === tiers.hour) return Math.floor(at / hourMs) * hourMs
  if (tier === tiers.day) return Math.floor(at / dayMs) * dayMs
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** Returns the start of the next interval. */
export function nextOf(tier: SpanTier, start: number): number {
  if (tier === tiers.hour) return start + hourMs
  if (tier === tiers.day) return start + dayMs
  const date = new Date(start)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Returns the time if an interval starts there, else the start of the next one. */
export function ceilTo(tier: SpanTier, at: number): number {
  const floor = floorTo(tier, at)
  return floor === at ? at : nextOf(tier, floor)
}

export type Span = { readonly from: number; readonly to: number }
/** A time span and the coarsest roll-ups that cover it exactly, or `rows` if none do. */
export type Piece = Span & { readonly tier: SpanTier | 'rows' }

/** Divides `[from, to)` into pieces: whole months, days and hours where possible, rows at the edges. */
export function piecesOf(from: number, to: number, coarsest: SpanTier, finest: SpanTier): Piece[] {
  if (from >= to) return []
  const low = ceilTo(coarsest, from)
  const high = floorTo(coarsest, to)
  const finer = (coarsest - 1) as SpanTier
  const rest = (a: number, b: number): Piece[] => {
    if (a >= b) return []
    return coarsest > finest ? piecesOf(a, b, finer, finest) : [{ tier: 'rows', from: a, to: b }]
  }
  if (low >= high) return rest(from, to)
  return [...rest(from, low), { tier: coarsest, from: low, to: high }, ...rest(high, to)]
}
