import { ActionIcon, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconFolderSymlink, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import type { DefinitionActions, Subject } from './useDefinitionActions.tsx'

type Props = {
  readonly subject: Subject
  readonly actions: DefinitionActions
  readonly onRemoved?: () => void
  readonly size?: number
  /** Further items, before the others. */
  readonly children?: ReactNode
}

/** Menu of actions for one agent or workflow, in its row or on its page. */
export function DefinitionMenu({ subject, actions, onRemoved, size = 24, children }: Props) {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon size={size} aria-label={t('definition:menu', { key: subject.key })}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <WhyDisabled reason={actions.mayNotWrite}>
          <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => actions.duplicate(subject)}>
            {t('definition:duplicate.menu')}
          </Menu.Item>
        </WhyDisabled>
        <WhyDisabled reason={actions.mayNotWrite}>
          <Menu.Item leftSection={<IconFolderSymlink size={14} />} onClick={() => actions.move(subject)}>
            {t('definition:move.menu')}
          </Menu.Item>
        </WhyDisabled>
        <WhyDisabled reason={actions.mayNotWrite}>
          <Menu.Item
            leftSection={<IconTrash size={14} />}
            onClick={() => void actions.remove(subject).then((isRemoved) => isRemoved && onRemoved?.())}
          >
            {t('definition:delete.menu')}
          </Menu.Item>
        </WhyDisabled>
      </Menu.Dropdown>
    </Menu>
  )
}
