import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconFolderSymlink, IconTrash } from '@tabler/icons-react'
import type { PromptRow } from '../../../../contract/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import type { PromptActions } from '../usePromptActions.tsx'

type Props = { readonly row: PromptRow; readonly actions: PromptActions }

/** The actions on a prompt in the list. */
export function RowMenu({ row, actions }: Props) {
  if (row.deleted_at !== null) {
    return (
      <WhyDisabled reason={actions.mayNotWrite}>
        <Button size="compact-xs" variant="default" onClick={() => void actions.restore(row)}>
          {t('prompts:restore.action')}
        </Button>
      </WhyDisabled>
    )
  }
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('prompts:menu', { key: row.key })}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <WhyDisabled reason={actions.mayNotWrite}>
          <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => actions.duplicate(row)}>
            {t('prompts:duplicate.menu')}
          </Menu.Item>
        </WhyDisabled>
        <WhyDisabled reason={actions.mayNotMove(row)}>
          <Menu.Item leftSection={<IconFolderSymlink size={14} />} onClick={() => actions.move(row)}>
            {t('prompts:move.menu')}
          </Menu.Item>
        </WhyDisabled>
        <WhyDisabled reason={actions.mayNotServe(row)}>
          <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => void actions.remove(row)}>
            {t('prompts:delete.menu')}
          </Menu.Item>
        </WhyDisabled>
      </Menu.Dropdown>
    </Menu>
  )
}
