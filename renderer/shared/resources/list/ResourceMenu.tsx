import { ActionIcon, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconFolderSymlink, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import type { ResourceTexts } from '../texts.ts'

/** The actions of a menu. Each verdict is the reason why an action is not allowed. */
export type MenuActions<S> = {
  readonly changeDisabledReason: (subject: S) => DisabledReason
  readonly moveDisabledReason: (subject: S) => DisabledReason
  readonly removeDisabledReason: (subject: S) => DisabledReason
  readonly duplicate: (subject: S) => void
  readonly move: (subject: S) => void
  /** Resolves to true if it was deleted. */
  readonly remove: (subject: S) => Promise<boolean>
}

type Props<S> = {
  readonly texts: ResourceTexts
  readonly subject: S
  readonly actions: MenuActions<S>
  readonly onRemoved?: () => void
  /** Size of the button, in pixels. */
  readonly size: number
}

const iconOf: Readonly<Record<'duplicate' | 'move' | 'delete', ReactNode>> = {
  duplicate: <IconCopy size={14} />,
  move: <IconFolderSymlink size={14} />,
  delete: <IconTrash size={14} />,
}

/** Menu of actions for one prompt, agent or workflow, in its row or on its page. */
export function ResourceMenu<S extends { readonly key: string }>(props: Props<S>) {
  const { texts, subject, actions, onRemoved, size } = props
  const remove = async (): Promise<void> => {
    if (await actions.remove(subject)) onRemoved?.()
  }
  const items = [
    ['duplicate', actions.changeDisabledReason(subject), () => actions.duplicate(subject)],
    ['move', actions.moveDisabledReason(subject), () => actions.move(subject)],
    ['delete', actions.removeDisabledReason(subject), () => void remove()],
  ] as const
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon size={size} aria-label={t(`${texts}:menu`, { key: subject.key })}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(([action, disabledReason, run]) => (
          <WhyDisabled key={action} reason={disabledReason}>
            <Menu.Item leftSection={iconOf[action]} onClick={run}>
              {t(`${texts}:${action}.menu`)}
            </Menu.Item>
          </WhyDisabled>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
