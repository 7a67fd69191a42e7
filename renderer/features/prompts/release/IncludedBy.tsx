import { Link } from '@tanstack/react-router'
import type { Impact } from '../../../../contract/prompts/prompt-rollout.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './release.module.css'

/** Names to display; further ones are counted. */
const maxNames = 5

/** The prompts whose text changes too, because they include this one. Empty if there are none. */
export function IncludedBy({ impact: { included_by: includers } }: { readonly impact: Impact }) {
  if (includers.length === 0) return null
  const shown = includers.slice(0, maxNames)
  return (
    <p className={styles['variable']} data-testid="included-by">
      <span>{t('prompt:impact.included_by', { count: includers.length })}</span>{' '}
      {shown.map(({ id, key }) => (
        <Link key={id} to="/prompts/$id" params={{ id }} className={`${styles['variableName']} mono`}>
          {key}
        </Link>
      ))}
      {includers.length > shown.length && (
        <span className="dimmed">
          {t('prompt:impact.included_by_more', { count: includers.length - shown.length })}
        </span>
      )}
    </p>
  )
}
