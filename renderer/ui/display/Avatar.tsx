import { once } from '../../lib/format/intl.ts'
import styles from './Avatar.module.css'

const segments = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))

/** Returns the first grapheme, so that an emoji is not cut. Most names need no segmenter, which is slow to create. */
const firstOf = (word: string): string =>
  /^[\x21-\x7e]+$/.test(word) ? word.charAt(0) : ([...segments().segment(word)][0]?.segment ?? '')

/** Returns the first letters of up to two words. */
function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '')
  return words.slice(0, 2).map(firstOf).join('').toUpperCase()
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
