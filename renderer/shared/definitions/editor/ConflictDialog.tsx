import { Button } from '@mantine/core'
import { t } from '../../../lib/i18n.ts'
import { Diff } from '../../../ui/diff/Diff.tsx'
import { changedFields } from '../../editing/drafts.ts'
import { ConflictDialog as ResourceConflictDialog } from '../../resources/page/ConflictDialog.tsx'
import type { Definition } from '../definition.ts'
import type { DefinitionEditing } from './useDefinitionEditing.ts'

type Props = {
  readonly theirs: Definition
  readonly editing: Pick<
    DefinitionEditing<Definition, object>,
    'closeConflict' | 'takeTheirs' | 'keepMine' | 'isSaving'
  >
  /** The other user's draft and this user's, in the form in which they are compared. */
  readonly before: object
  readonly after: object
}

/**
 * Shown if another user saved first: the differences, and a choice of which draft to keep. Nothing is lost
 * until then.
 */
export function ConflictDialog({ theirs, editing, before, after }: Props) {
  const differing: readonly string[] = changedFields<object>(before, after)
  const pickDiffering = (draft: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(draft).filter(([field]) => differing.includes(field)))
  return (
    <ResourceConflictDialog
      texts="definition"
      theirs={theirs}
      onClose={editing.closeConflict}
      actions={
        <>
          <Button variant="default" onClick={editing.closeConflict}>
            {t('definition:conflict.later')}
          </Button>
          <Button variant="default" onClick={editing.takeTheirs}>
            {t('definition:conflict.theirs')}
          </Button>
          <Button loading={editing.isSaving} onClick={() => void editing.keepMine()} data-autofocus>
            {t('definition:conflict.mine')}
          </Button>
        </>
      }
    >
      <Diff before={pickDiffering(before)} after={pickDiffering(after)} />
    </ResourceConflictDialog>
  )
}
