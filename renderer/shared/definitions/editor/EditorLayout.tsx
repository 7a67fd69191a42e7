import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import styles from './editor.module.css'
import { SaveFailure } from './SaveFailure.tsx'

type Props = {
  readonly writeDisabledReason: DisabledReason
  /** Reason why the draft was not saved; null if it was. */
  readonly failure: unknown
  /** Greatest width of the right part, as a length in CSS. */
  readonly asideWidth: string
  readonly aside: ReactNode
  readonly children: ReactNode
}

/** Layout of the editor of an agent or workflow. The right part is below the left one on a narrow page. */
export const EditorLayout = ({ writeDisabledReason, failure, asideWidth, aside, children }: Props) => (
  <div className={styles['edit']} style={{ '--editor-aside': asideWidth } as Record<string, string>}>
    <div className={styles['main']}>
      {writeDisabledReason !== null && (
        <p className="note">{`${t('definition:edit.read_only')} ${writeDisabledReason}`}</p>
      )}
      <SaveFailure error={failure} />
      {children}
    </div>
    <div className={styles['aside']}>{aside}</div>
  </div>
)
