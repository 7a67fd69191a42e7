import { t } from '../../lib/i18n.ts'
import styles from './pair.module.css'

/** The four words by which people recognize the service. */
export function Words({ words }: { readonly words: readonly string[] }) {
  return (
    <ol className={styles['words']} aria-label={t('pair:words')}>
      {words.map((word) => (
        <li key={word} className="mono">
          {word}
        </li>
      ))}
    </ol>
  )
}
