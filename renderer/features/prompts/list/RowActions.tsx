import { Button } from '@mantine/core'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { ResourceMenu } from '../../../shared/resources/list/ResourceMenu.tsx'
import type { PromptActions } from '../usePromptActions.tsx'

type Props = { readonly row: PromptRow; readonly actions: PromptActions }

/** The actions on a prompt in the list; for a deleted one, only to restore it. */
export function RowActions({ row, actions }: Props) {
  if (row.deleted_at === null) {
    return <ResourceMenu texts="prompts" subject={row} actions={actions} size={24} />
  }
  return (
    <WhyDisabled reason={actions.writeDisabledReason}>
      <Button size="compact-xs" variant="default" onClick={() => void actions.restore(row)}>
        {t('prompts:restore.action')}
      </Button>
    </WhyDisabled>
  )
}
