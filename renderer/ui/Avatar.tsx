import styles from './Avatar.module.css'

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The first letters of up to two words; whole graphemes, so that an emoji stays one. */
function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '')
  return words
    .slice(0, 2)
    .map((word) => [...segments.segment(word)][0]?.segment ?? '')
    .join('')
    .toUpperCase()
}

export function Avatar({ name, size = 24 }: { readonly name: string; readonly size?: number }) {
  return (
    <span
      className={styles['avatar']}
      style={{ width: size, height: size }}
      // Drawn by the style sheet: as text it would be part of what a button is called.
      data-initials={initials(name)}
      aria-hidden="true"
    />
  )
}
