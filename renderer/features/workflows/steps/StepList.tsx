import { Button, Menu } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Fragment, useEffect, useRef, useState } from 'react'
import { stepTypes } from '../../../../contract/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import type { StepPosition } from '../graph/tree.ts'
import { makeDropTarget } from './dragging.ts'
import type { Findings } from './findings.ts'
import { StepCard } from './StepCard.tsx'
import { StepIcon } from './StepIcon.tsx'
import styles from './steps.module.css'
import type { Branch, EditStep } from './steps.ts'
import type { StepsEditing } from './useSteps.ts'

type Props = {
  readonly steps: readonly EditStep[]
  /** The uid of the step that contains the list; null for the workflow's own list. */
  readonly parent: string | null
  readonly branch: Branch
  /** Prefix of the step numbers. */
  readonly number: string
  /** Number of steps in the previous branch, after which numbering continues. */
  readonly counted?: number
  readonly editing: StepsEditing
  readonly findings: Findings | undefined
  readonly workspace: string
}

/** A list of steps with a drop target between each two, and a button to add a step. */
export function StepList({
  steps,
  parent,
  branch,
  number,
  counted = 0,
  editing,
  findings,
  workspace,
}: Props) {
  const place = (index: number): StepPosition => ({ parent, branch, index })
  return (
    <>
      <ol className={styles['list']} data-top={parent === null || undefined}>
        {steps.map((step, index) => (
          <Fragment key={step.uid}>
            <Gap place={place(index)} editing={editing} />
            <StepCard
              step={step}
              number={`${number}${counted + index + 1}`}
              editing={editing}
              findings={findings}
              workspace={workspace}
            />
          </Fragment>
        ))}
        <Gap place={place(steps.length)} editing={editing} />
      </ol>
      {editing.isReadOnly ? (
        steps.length === 0 && <p className={styles['none']}>{t('workflows:branch.empty')}</p>
      ) : (
        <AddStep onAdd={(type) => editing.add(place(steps.length), type)} isFirst={steps.length === 0} />
      )}
    </>
  )
}

/** A drop target between two cards. */
function Gap({ place, editing }: { readonly place: StepPosition; readonly editing: StepsEditing }) {
  const line = useRef<HTMLLIElement>(null)
  const [isOver, setOver] = useState(false)
  const { parent, branch, index } = place
  const { isReadOnly, moveTo } = editing
  useEffect(() => {
    if (isReadOnly || line.current === null) return
    return makeDropTarget(line.current, setOver, (uid) => moveTo(uid, { parent, branch, index }))
  }, [isReadOnly, moveTo, parent, branch, index])
  return <li ref={line} className={styles['gap']} data-over={isOver || undefined} aria-hidden="true" />
}

type AddProps = { readonly onAdd: (type: EditStep['type']) => void; readonly isFirst: boolean }

function AddStep({ onAdd, isFirst }: AddProps) {
  return (
    <Menu position="bottom-start" width={300}>
      <Menu.Target>
        <Button
          className={styles['add'] ?? ''}
          variant={isFirst ? 'default' : 'subtle'}
          size="compact-sm"
          leftSection={<IconPlus size={13} />}
        >
          {t('workflows:step.add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {stepTypes.map((type) => (
          <Menu.Item key={type} leftSection={<StepIcon type={type} />} onClick={() => onAdd(type)}>
            <div>{t(`workflows:type.${type}`)}</div>
            <div className={styles['none']}>{t(`workflows:type_help.${type}`)}</div>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
