type Props = {
  readonly values: readonly number[]
  /** Accessible name of the line. */
  readonly label: string
  readonly width?: number
  readonly height?: number
  /** Colour: `quiet` (default) is grey, `bad` is red for errors, `accent` is the accent colour. */
  readonly tone?: 'quiet' | 'bad' | 'accent'
}

const strokes = {
  quiet: 'var(--pd-quiet-mark)',
  bad: 'var(--pd-bad-mark)',
  accent: 'var(--pd-accent)',
} as const

/** A small line chart without axes, from 0 to the highest value. A single value is a flat line. */
export function Sparkline({ values, label, width = 96, height = 24, tone = 'quiet' }: Props) {
  const highest = Math.max(...values, 0)
  const points = values.length === 1 ? [values[0] ?? 0, values[0] ?? 0] : values
  const x = (index: number): number => 1 + (index / Math.max(1, points.length - 1)) * (width - 2)
  const y = (value: number): number => height - 2 - (highest === 0 ? 0 : value / highest) * (height - 4)
  const line = points.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {points.length > 0 && (
        <polyline points={line} fill="none" stroke={strokes[tone]} strokeWidth={1.5} strokeLinejoin="round" />
      )}
    </svg>
  )
}
