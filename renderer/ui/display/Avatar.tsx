import { once } from '../../lib/format/intl.ts'
import styles from './Avatar.module.css'

const segments = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))

/** Returns the first letters of up to two words, as whole graphemes, so that an emoji is not cut. */
function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '')
  return words
    .slice(0, 2)
    .map((word) => [...segments().segment(word)][0]?.segment ?? '')
    .join('')
    .toUpperCase()
}

export function Avatar({ name, size = 24 }: { readonly name: string; readonly size?: number }) {
  return (
    <span
      className={styles['avatar']}
      style={{ width: size, height: size }}
      // Drawn by CSS: as text it would be part of a button's accessible name.
      data-initials={initials(name)}
      aria-hidden="true"
    />
  )
}
