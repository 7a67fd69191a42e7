import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { Verdict } from '../../../lib/session/me.ts'
import styles from './editor.module.css'
import { SaveFailure } from './SaveFailure.tsx'

type Props = {
  readonly mayNotWrite: Verdict
  /** Reason why the draft was not saved; null if it was. */
  readonly failure: unknown
  /** Greatest width of the right part, as a length in CSS. */
  readonly asideWidth: string
  readonly aside: ReactNode
  readonly children: ReactNode
}

/** Layout of the editor of an agent or workflow. The right part is below the left one on a narrow page. */
export const EditorLayout = ({ mayNotWrite, failure, asideWidth, aside, children }: Props) => (
  <div className={styles['edit']} style={{ '--editor-aside': asideWidth } as Record<string, string>}>
    <div className={styles['main']}>
      {mayNotWrite !== null && (
        <p className={styles['note']}>{`${t('definition:edit.read_only')} ${mayNotWrite}`}</p>
      )}
      <SaveFailure error={failure} />
      {children}
    </div>
    <div className={styles['aside']}>{aside}</div>
  </div>
)
