import { Badge } from '../../../ui/display/Badge.tsx'
import type { Editing } from '../../editing/useEditing.ts'
import styles from './head.module.css'

type Props<T, D extends object> = {
  readonly editing: Pick<Editing<T, D>, 'isDirty' | 'theirs' | 'openConflict'>
  /** Text of the badge for unsaved changes. */
  readonly unsaved: string
  /** Returns the text of the button that compares the draft with what another user saved. */
  readonly theirsText: (theirs: T) => string
}

/** The state of a draft in the status line: unsaved changes, and a change by another user. */
export const EditingState = <T, D extends object>({ editing, unsaved, theirsText }: Props<T, D>) => (
  <>
    {editing.isDirty && <Badge tone="warn">{unsaved}</Badge>}
    {editing.theirs !== null && (
      <button type="button" className={styles['conflict']} onClick={editing.openConflict}>
        {theirsText(editing.theirs)}
      </button>
    )}
  </>
)
