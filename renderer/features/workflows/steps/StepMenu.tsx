import { ActionIcon, Menu } from '@mantine/core'
import {
  IconArrowBarToRight,
  IconArrowDown,
  IconArrowLeft,
  IconArrowUp,
  IconCopy,
  IconDots,
  IconTrash,
} from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import type { Direction } from '../graph/tree.ts'
import type { EditStep } from './steps.ts'
import type { StepsEditing } from './useSteps.ts'

const moves = [
  ['up', IconArrowUp],
  ['down', IconArrowDown],
  ['in', IconArrowBarToRight],
  ['out', IconArrowLeft],
] as const satisfies readonly (readonly [Direction, unknown])[]

/** The menu of a step; impossible moves are left out. */
export function StepMenu({ step, editing }: { readonly step: EditStep; readonly editing: StepsEditing }) {
  const name = step.name || t('workflows:step.unnamed')
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('workflows:step.menu', { name })}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => editing.duplicate(step.uid)}>
          {t('workflows:step.duplicate')}
        </Menu.Item>
        {moves
          .filter(([direction]) => editing.canMove(step.uid, direction))
          .map(([direction, Icon]) => (
            <Menu.Item
              key={direction}
              leftSection={<Icon size={14} />}
              onClick={() => editing.move(step.uid, direction)}
            >
              {t(`workflows:move.${direction}`)}
            </Menu.Item>
          ))}
        <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => editing.remove(step.uid)}>
          {t('workflows:step.remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
