import { Button, Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconAlertTriangle, IconCheck, IconSitemap } from '@tabler/icons-react'
import { lazy, Suspense, useMemo } from 'react'
import type { Workflow } from '../../../../contract/workflows/workflow.ts'
import { t } from '../../../lib/i18n.ts'
import { createPersistedStore, useStore } from '../../../lib/state/store.ts'
import { DetailsFields } from '../../../shared/definitions/editor/DetailsFields.tsx'
import { EditorLayout } from '../../../shared/definitions/editor/EditorLayout.tsx'
import type { DefinitionActions } from '../../../shared/definitions/list/useDefinitionActions.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { Findings } from '../steps/findings.ts'
import { StepList } from '../steps/StepList.tsx'
import { allSteps } from '../steps/steps.ts'
import { useSteps } from '../steps/useSteps.ts'
import styles from './edit.module.css'
import type { WorkflowEditing } from './workflow.editing.ts'

const Graph = lazy(() => import('../graph/Graph.tsx').then((m) => ({ default: m.Graph })))

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const graphStore = createPersistedStore('workflow.graph', false, isBoolean)

type Props = {
  readonly workflow: Workflow
  readonly editing: WorkflowEditing
  readonly actions: DefinitionActions
  readonly findings: Findings | undefined
}

/** The editor of a workflow: the steps as cards, and as a graph beside them, or above them in a narrow window. */
export function EditTab({ workflow, editing, actions, findings }: Props) {
  const isReadOnly = actions.writeDisabledReason !== null
  const isWide = useMediaQuery('(min-width: 1100px)', true, { getInitialValueInEffect: false })
  const isGraphShown = useStore(graphStore)
  const steps = useSteps({
    steps: editing.draft.steps,
    setSteps: (change) => editing.change((before) => ({ steps: change(before.steps) })),
    isReadOnly,
    variables: findings?.check.variables ?? [],
  })
  const invalidUids = useMemo(
    () =>
      new Set(
        [...(findings?.byStep ?? [])]
          .filter(([, stepFindings]) => stepFindings.some(({ severity }) => severity === 'error'))
          .map(([uid]) => uid),
      ),
    [findings],
  )
  return (
    <EditorLayout
      writeDisabledReason={actions.writeDisabledReason}
      failure={editing.failure}
      asideWidth="38%"
      aside={
        <>
          {isWide && allSteps(editing.draft.steps).length > 0 && (
            <div className={styles['sideGraph']}>
              <Suspense fallback={<Skeleton height="100%" />}>
                <Graph steps={editing.draft.steps} invalidUids={invalidUids} onShow={steps.show} />
              </Suspense>
            </div>
          )}
          <Section title={t('common:details')}>
            <DetailsFields definition={workflow} editing={editing} isReadOnly={isReadOnly} />
          </Section>
        </>
      }
    >
      <Section
        title={t('workflows:step.many')}
        aside={
          <span className={styles['bar']}>
            <State findings={findings} onShow={steps.show} />
            {!isWide && (
              <Button
                variant={isGraphShown ? 'light' : 'subtle'}
                size="compact-xs"
                aria-pressed={isGraphShown}
                leftSection={<IconSitemap size={13} />}
                onClick={() => graphStore.set(!isGraphShown)}
              >
                {t('workflows:graph.toggle')}
              </Button>
            )}
            <Button
              variant="subtle"
              size="compact-xs"
              onClick={steps.hasOpen ? steps.closeAll : steps.openAll}
            >
              {t(steps.hasOpen ? 'workflows:step.close_all' : 'workflows:step.open_all')}
            </Button>
          </span>
        }
      >
        {!isWide && isGraphShown && (
          <div className={styles['inlineGraph']}>
            <Suspense fallback={<Skeleton height="100%" />}>
              <Graph steps={editing.draft.steps} invalidUids={invalidUids} onShow={steps.show} />
            </Suspense>
          </div>
        )}
        <StepList
          steps={editing.draft.steps}
          parent={null}
          branch="steps"
          number=""
          editing={steps}
          findings={findings}
          workspace={workflow.workspace_id}
        />
        <span id="move-help" hidden>
          {t('workflows:move.help')}
        </span>
        <span role="status" aria-live="assertive" className={styles['announcement']}>
          {steps.announcement}
        </span>
      </Section>
    </EditorLayout>
  )
}

type StateProps = { readonly findings: Findings | undefined; readonly onShow: (uid: string) => void }

/** The number of errors, or of warnings if there are no errors. A click opens the first step that has one. */
function State({ findings, onShow }: StateProps) {
  if (findings === undefined) return null
  const errors = findings.check.findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.check.findings.length - errors
  const [first] = findings.byStep.keys()
  if (errors + warnings === 0) {
    return (
      <span className={styles['state']} role="status">
        <IconCheck size={14} aria-hidden="true" />
        {t('workflows:findings.none')}
      </span>
    )
  }
  return (
    <button
      type="button"
      className={styles['state']}
      data-severity={errors > 0 ? 'error' : 'warning'}
      onClick={() => first !== undefined && onShow(first)}
    >
      <IconAlertTriangle size={14} aria-hidden="true" />
      {errors > 0
        ? t('workflows:findings.errors', { count: errors })
        : t('workflows:findings.warnings', { count: warnings })}
    </button>
  )
}
