import styles from './CodeBlock.module.css'

type Props = {
  readonly text: string
  /** Accessible name of the text. */
  readonly label: string
  readonly tone?: 'quiet' | 'bad'
}

/** Unformatted text: wrapped, with a scroll area of its own that the keyboard can reach. */
export function CodeBlock({ text, label, tone = 'quiet' }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className={styles['block']} data-tone={tone} aria-label={label} tabIndex={0}>
      <pre className={styles['text']}>{text}</pre>
    </section>
  )
}
