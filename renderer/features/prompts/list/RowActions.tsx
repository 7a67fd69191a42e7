import { Button } from '@mantine/core'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import type { PromptActions } from '../usePromptActions.tsx'

type Props = { readonly row: PromptRow; readonly actions: PromptActions }

/** The action on a prompt in the trash. */
export function RowActions({ row, actions }: Props) {
  return (
    <WhyDisabled reason={actions.removeDisabledReason(row)}>
      <Button size="compact-xs" variant="default" onClick={() => void actions.restore(row)}>
        {t('prompts:restore.action')}
      </Button>
    </WhyDisabled>
  )
}
