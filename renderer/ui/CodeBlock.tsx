import styles from './CodeBlock.module.css'

type Props = {
  readonly text: string
  /** What it is, for a screen reader. */
  readonly label: string
  readonly tone?: 'quiet' | 'bad'
}

/** Text as it is: wrapped, scrolling on its own when long, in reach of the keyboard. */
export function CodeBlock({ text, label, tone = 'quiet' }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keyboard
    <section className={styles['block']} data-tone={tone} aria-label={label} tabIndex={0}>
      <pre className={styles['text']}>{text}</pre>
    </section>
  )
}
