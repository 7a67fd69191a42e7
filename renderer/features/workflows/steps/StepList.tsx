import { Fragment } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { StepPosition } from '../graph/tree.ts'
import { AddStep } from './AddStep.tsx'
import type { Findings } from './findings.ts'
import { StepCard } from './StepCard.tsx'
import { StepGap } from './StepGap.tsx'
import styles from './steps.module.css'
import { type Branch, branchesOf, type EditStep } from './steps.ts'
import type { StepsEditing } from './useSteps.ts'

/** The data of the editor that all lists of one workflow share. */
type Shared = {
  readonly editing: StepsEditing
  readonly findings: Findings | undefined
  readonly workspace: string
}

type Props = Shared & {
  readonly steps: readonly EditStep[]
  /** The uid of the step that contains the list; null for the workflow's own list. */
  readonly parent: string | null
  readonly branch: Branch
  /** Prefix of the step numbers. */
  readonly number: string
  /** Number of steps in the previous branch, after which numbering continues. */
  readonly numberOffset?: number
}

/** A list of steps with a drop target between each two, and a button to add a step. */
export function StepList({ steps, parent, branch, number, numberOffset = 0, ...shared }: Props) {
  const { editing } = shared
  const positionAt = (index: number): StepPosition => ({ parent, branch, index })
  const numberOf = (index: number): string => `${number}${numberOffset + index + 1}`
  return (
    <>
      <ol className={styles['list']} data-top={parent === null || undefined}>
        {steps.map((step, index) => (
          <Fragment key={step.uid}>
            <StepGap position={positionAt(index)} editing={editing} />
            <StepCard step={step} number={numberOf(index)} {...shared}>
              <Branches step={step} number={numberOf(index)} {...shared} />
            </StepCard>
          </Fragment>
        ))}
        <StepGap position={positionAt(steps.length)} editing={editing} />
      </ol>
      {editing.isReadOnly ? (
        steps.length === 0 && <p className={styles['hint']}>{t('workflows:branch.empty')}</p>
      ) : (
        <AddStep onAdd={(type) => editing.add(positionAt(steps.length), type)} isFirst={steps.length === 0} />
      )}
    </>
  )
}

type BranchesProps = Shared & { readonly step: EditStep; readonly number: string }

/** The branches of a step. In this file because a branch is a list of steps itself. */
function Branches({ step, number, ...shared }: BranchesProps) {
  const name = step.name || t('workflows:step.unnamed')
  return branchesOf(step).map((branch) => (
    <section
      key={branch}
      className={styles['branch']}
      aria-label={t('workflows:branch.of', { branch: t(`workflows:branch.${branch}`), name })}
    >
      <h3 className={styles['branchName']}>{t(`workflows:branch.${branch}`)}</h3>
      <StepList
        steps={step[branch] ?? []}
        parent={step.uid}
        branch={branch}
        number={`${number}.`}
        numberOffset={branch === 'else' ? (step.then?.length ?? 0) : 0}
        {...shared}
      />
    </section>
  ))
}
