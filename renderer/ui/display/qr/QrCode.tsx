import { encode } from 'uqr'
import styles from './QrCode.module.css'

type Props = {
  readonly text: string
  /** Describes the code for screen readers. */
  readonly label: string
}

/** A QR code, dark on white in both themes, because many cameras cannot read the reverse. */
export function QrCode({ text, label }: Props) {
  const { data, size } = encode(text, { border: 4 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg className={styles['code']} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  )
}
