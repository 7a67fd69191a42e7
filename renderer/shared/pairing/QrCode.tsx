import { encode } from 'uqr'

/** Light margin around the code, in modules, which readers need. */
const margin = 4

/** A QR code as SVG. Black on white in both themes, because many readers need a dark code on a light ground. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + margin} ${y + margin}h1v1h-1z` : '')))
    .join('')
  const side = size + 2 * margin
  return (
    <svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
