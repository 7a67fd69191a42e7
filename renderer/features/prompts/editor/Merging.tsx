import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { Diff } from '../../../ui/diff/Diff.tsx'
import styles from './edit.module.css'
import { type Draft, textOf } from './editing.ts'

/** A diff between the other user's text and the editor, displayed while the user merges them by hand. */
export function Merging({ theirs, mine }: { readonly theirs: Prompt; readonly mine: Draft }) {
  return (
    <section className={styles['conflict']} aria-label={t('prompt:conflict.merging')} data-testid="merging">
      <h3 className={styles['title']}>{t('prompt:conflict.merging')}</h3>
      <p className="note">{t('prompt:conflict.merging_help', { user: theirs.updated_by })}</p>
      <div className={styles['conflictDiff']}>
        <Diff before={theirs.content} after={textOf(mine)} empty={t('prompt:conflict.equal')} />
      </div>
    </section>
  )
}
