import { ActionIcon, Menu } from '@mantine/core'
import {
  IconArrowsDiff,
  IconCopy,
  IconDots,
  IconFolderSymlink,
  IconTags,
  IconTrash,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { type BulkKind, subjectOf } from '../bulk/bulk.ts'
import { compareSearch } from '../compare/compare.search.ts'
import type { PromptActions } from '../usePromptActions.tsx'
import type { KeyRow } from './keyRow.ts'

/** The actions on a key. Those on several environments open the dialogs of the bulk actions. */
export type KeyMenuActions = {
  readonly prompts: PromptActions
  readonly openBulk: (kind: BulkKind, row: KeyRow) => void
}

type Action = readonly [
  name: 'compare' | 'duplicate' | 'move' | 'tag' | 'delete',
  icon: ReactNode,
  disabledReason: DisabledReason,
  run: () => void,
]

export function KeyMenu({ row, actions }: { readonly row: KeyRow; readonly actions: KeyMenuActions }) {
  const navigate = useNavigate()
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('prompts:menu', { key: row.key })}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actionsOf(row, actions, (search) => void navigate({ to: '/prompts/compare', search })).map(
          ([name, icon, disabledReason, run]) => (
            <WhyDisabled key={name} reason={disabledReason}>
              <Menu.Item leftSection={icon} onClick={run}>
                {t(`prompts:${name}.menu`)}
              </Menu.Item>
            </WhyDisabled>
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function actionsOf(
  row: KeyRow,
  { prompts, openBulk }: KeyMenuActions,
  compare: (search: ReturnType<typeof compareSearch>) => void,
): readonly Action[] {
  const [first] = row.envs
  if (first === undefined) return []
  const subject = subjectOf(row, first)
  // All environments of a row are in one workspace.
  const write = prompts.changeDisabledReason(subject)
  const isSingle = row.envs.length === 1
  return [
    ['compare', <IconArrowsDiff key="i" size={14} />, null, () => compare(compareSearch(row))],
    ['duplicate', <IconCopy key="i" size={14} />, write, () => prompts.duplicate(subject)],
    [
      'move',
      <IconFolderSymlink key="i" size={14} />,
      isSingle ? prompts.moveDisabledReason(subject) : write,
      () => (isSingle ? prompts.move(subject) : openBulk('move', row)),
    ],
    ['tag', <IconTags key="i" size={14} />, write, () => openBulk('tag', row)],
    [
      'delete',
      <IconTrash key="i" size={14} />,
      isSingle ? prompts.removeDisabledReason(subject) : write,
      () => (isSingle ? void prompts.remove(subject) : openBulk('delete', row)),
    ],
  ]
}
