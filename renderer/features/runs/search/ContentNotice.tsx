import { t } from '../../../lib/i18n.ts'
import styles from '../runs.module.css'

type Props = {
  readonly incomplete: { readonly indexed_bytes: number; readonly total_bytes: number } | undefined
}

/** A notice that a search did not cover all captured texts yet, with the progress. Empty otherwise. */
export function ContentNotice({ incomplete }: Props) {
  if (incomplete === undefined) return null
  const { indexed_bytes: indexed, total_bytes: total } = incomplete
  const percent = total === 0 ? 0 : Math.min(99, Math.floor((indexed / total) * 100))
  return (
    <p className={styles['incomplete']} role="status" data-testid="content-incomplete">
      {t('runs:content.incomplete', { percent })}
    </p>
  )
}
