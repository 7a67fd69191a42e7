import { Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconChevronDown, IconChevronRight, IconGripVertical } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { t } from '../../../lib/i18n.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import type { Direction } from '../graph/tree.ts'
import { summaryOf } from '../summary.ts'
import { makeDraggable } from './dragging.ts'
import { StepFields } from './fields/StepFields.tsx'
import type { Findings } from './findings.ts'
import { StepIcon } from './StepIcon.tsx'
import { StepMenu } from './StepMenu.tsx'
import styles from './steps.module.css'
import { branchesOf, type EditStep } from './steps.ts'
import type { StepsEditing } from './useSteps.ts'

type Props = {
  readonly step: EditStep
  readonly number: string
  readonly editing: StepsEditing
  readonly findings: Findings | undefined
  readonly workspace: string
  /** The branches of the step, below its card. */
  readonly children: ReactNode
}

const directions: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'out',
  ArrowRight: 'in',
}

/** A card of one step: a one-line summary, and its fields when it is open. */
export function StepCard({ step, number, editing, findings, workspace, children }: Props) {
  const card = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLButtonElement>(null)
  const isOpen = editing.isOpen(step.uid)
  const { isReadOnly } = editing
  const stepFindings = findings?.byStep.get(step.uid) ?? []
  const branches = branchesOf(step)
  const generalFindings = stepFindings.filter(
    ({ field }) => field === '' || branches.some((branch) => field === branch),
  )
  const name = step.name || t('workflows:step.unnamed')

  useEffect(() => {
    if (isReadOnly || card.current === null || handle.current === null) return
    return makeDraggable(card.current, handle.current, step.uid)
  }, [isReadOnly, step.uid])
  const receivesFocus = editing.focused === step.uid
  useEffect(() => {
    if (!receivesFocus) return
    const target = isReadOnly ? card.current?.querySelector('button') : handle.current
    target?.focus({ preventScroll: true })
    card.current?.scrollIntoView({ block: 'nearest' })
    editing.clearFocus()
  })

  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = directions[event.key]
    if (direction === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    editing.move(step.uid, direction)
  }

  return (
    <li
      ref={card}
      className={styles['card']}
      data-type={step.type}
      data-bad={stepFindings.some(({ severity }) => severity === 'error') || undefined}
      data-step={step.name}
    >
      <div className={styles['head']}>
        {!isReadOnly && (
          <Tooltip label={t('workflows:move.hint')}>
            <button
              ref={handle}
              type="button"
              className={styles['handle']}
              aria-label={t('workflows:move.handle', { name })}
              aria-describedby="move-help"
              onKeyDown={onKeyDown}
            >
              <IconGripVertical size={14} />
            </button>
          </Tooltip>
        )}
        <button
          type="button"
          className={styles['open']}
          aria-expanded={isOpen}
          onClick={() => editing.toggle(step.uid)}
        >
          {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
          <span className={styles['number']}>{number}</span>
          <StepIcon type={step.type} />
          <span className={`mono ${styles['name']}`}>{name}</span>
          <span className={styles['kind']}>{t(`workflows:type.${step.type}`)}</span>
          <span className={`${styles['summary']} truncate`}>{isOpen ? '' : summaryOf(step)}</span>
        </button>
        {step.when !== undefined && step.type !== 'condition' && <Badge>{t('workflows:when.badge')}</Badge>}
        {!isReadOnly && <StepMenu step={step} editing={editing} />}
      </div>
      {!isOpen && stepFindings.length > 0 && (
        <p className={styles['finding']} data-severity={stepFindings[0]?.severity}>
          <IconAlertTriangle size={14} aria-hidden="true" />
          <span>
            {stepFindings[0]?.message}
            {stepFindings.length > 1 &&
              ` ${t('workflows:findings.more', { count: stepFindings.length - 1 })}`}
          </span>
        </p>
      )}
      {isOpen && (
        <div className={styles['body']}>
          {generalFindings.map(({ message, severity }) => (
            <p key={message} className={styles['finding']} data-severity={severity} role="alert">
              <IconAlertTriangle size={14} aria-hidden="true" />
              {message}
            </p>
          ))}
          <StepFields
            step={step}
            onChange={(patch) => editing.change(step.uid, patch)}
            context={{ workspace, isReadOnly, ...editing.namesFor(step.uid) }}
            findings={stepFindings}
          />
        </div>
      )}
      {children}
    </li>
  )
}
