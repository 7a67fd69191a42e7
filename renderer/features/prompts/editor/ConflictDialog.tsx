import { Button } from '@mantine/core'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { changedFields } from '../../../shared/editing/drafts.ts'
import { ConflictDialog as ResourceConflictDialog } from '../../../shared/resources/page/ConflictDialog.tsx'
import { Diff } from '../../../ui/diff/Diff.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { draftOf, fieldsExceptContent, textOf } from './editing.ts'
import type { PromptEditing } from './usePromptEditing.ts'

type Props = { readonly theirs: Prompt; readonly editing: PromptEditing }

/**
 * A dialog for a conflicting save: a diff of both drafts, and three ways to resolve it. Until then, both
 * drafts stay.
 */
export function ConflictDialog({ theirs, editing }: Props) {
  const before = draftOf(theirs)
  const differing = changedFields(before, editing.draft)
  // Beside other changes of the text, those that both made are listed apart.
  const hasOtherChanges = editing.merged?.draft.content !== editing.draft.content
  const conflicts = (hasOtherChanges && editing.merged?.conflicts.content) || []
  const otherFields = differing.filter((field) => field !== 'content' && field !== 'messages')
  return (
    <ResourceConflictDialog
      texts="prompt"
      theirs={theirs}
      onClose={editing.closeConflict}
      actions={
        <>
          <Button variant="default" onClick={editing.takeTheirs}>
            {t('prompt:conflict.theirs')}
          </Button>
          <Button variant="default" loading={editing.isSaving} onClick={() => void editing.keepMine()}>
            {t('prompt:conflict.mine')}
          </Button>
          <Button onClick={editing.mergeByHand} data-autofocus>
            {t('prompt:conflict.merge')}
          </Button>
        </>
      }
    >
      {conflicts.length > 0 && (
        <Section title={t('prompt:conflict.lines', { count: conflicts.length })}>
          {conflicts.map(({ line, mine, theirs: other }) => (
            <div key={line} data-testid="conflict-lines">
              <p className="note">{t('prompt:conflict.line', { line })}</p>
              <Diff before={other.join('\n')} after={mine.join('\n')} />
            </div>
          ))}
        </Section>
      )}
      {textOf(before) !== textOf(editing.draft) && (
        <Section title={t('prompt:conflict.diff')}>
          <Diff before={textOf(before)} after={textOf(editing.draft)} />
        </Section>
      )}
      {otherFields.length > 0 && (
        <Section title={t('prompt:conflict.other_fields')}>
          <Diff
            before={fieldsExceptContent(before, otherFields)}
            after={fieldsExceptContent(editing.draft, otherFields)}
          />
        </Section>
      )}
    </ResourceConflictDialog>
  )
}
