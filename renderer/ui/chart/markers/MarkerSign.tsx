import type { MarkerKind } from '../chart.ts'
import styles from './markers.module.css'

const shapes: Readonly<Record<MarkerKind, string>> = {
  publish: 'M6 1.5 11 10.5H1z',
  rollback: 'M6 10.5 1 1.5h10z',
  role: 'M6 2a4 4 0 1 1 0 8a4 4 0 1 1 0-8z',
  denied: 'M2.5 2.5l7 7m0-7l-7 7',
}

/** Symbol of a marker, beside its text: ▲ published, ▼ rolled back, ● role changed, × sign-in failed. */
export function MarkerSign({ kind }: { readonly kind: MarkerKind }) {
  return (
    <svg
      className={styles['sign'] ?? ''}
      data-kind={kind}
      viewBox="0 0 12 12"
      width={12}
      height={12}
      aria-hidden="true"
    >
      <path d={shapes[kind]} />
    </svg>
  )
}
