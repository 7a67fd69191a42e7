import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { Workflow } from '../../../../contract/workflows/workflow.ts'
import { maxInputLength } from '../../../../contract/workflows/workflow-run.ts'
import { t } from '../../../lib/i18n.ts'
import { fieldErrors, invalidateEntities } from '../../../lib/service/api.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { useSampleValues } from '../../../lib/state/samples.ts'
import { useStore } from '../../../lib/state/store.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { definitionQuery } from '../../../shared/definitions/definition.ts'
import { plainVariable, type TypedValues, VariablesForm } from '../../../shared/models/VariablesForm.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { WorkflowEditing } from '../page/workflow.editing.ts'
import styles from './execution.module.css'
import { LiveView } from './LiveView.tsx'
import { execute, liveOf } from './workflow.runner.ts'

type Props = {
  readonly workflow: Workflow
  readonly editing: WorkflowEditing
  readonly runDisabledReason: DisabledReason
  /** The reason why the draft cannot be saved; null if it can. */
  readonly saveDisabledReason: DisabledReason
}
type Form = { readonly input: string; readonly values: TypedValues }
const empty: Form = { input: '', values: {} }

/** A form that runs the workflow, and the live progress and result of the execution. */
export function RunTab({ workflow, editing, runDisabledReason, saveDisabledReason }: Props) {
  const queries = useQueryClient()
  const live = useStore(liveOf(workflow.id))
  const [form, setForm] = useSampleValues<Form>(workflow.id, empty)
  const errors = fieldErrors(live?.failure)
  const declaredVariables = workflow.variables.map(plainVariable)
  const missing = workflow.variables.filter((name) => (form.values[name] ?? '') === '')
  const disabledReason =
    runDisabledReason ??
    (live?.isRunning === true ? t('workflows:run.in_progress') : null) ??
    (editing.isDirty
      ? saveDisabledReason
      : missing.length > 0
        ? t('workflows:run.missing', { names: missing.join(', '), count: missing.length })
        : null)
  const start = async (): Promise<void> => {
    if (editing.isDirty) {
      // Saving may change the workflow's variables, so the user has to start the run again.
      await editing.save()
      return
    }
    const current = queries.getQueryData(definitionQuery.workflow(workflow.id).queryKey) ?? workflow
    const variables = Object.fromEntries(current.variables.map((name) => [name, form.values[name] ?? '']))
    await execute(current, { kind: 'run', variables, input: form.input })
    await invalidateEntities(queries, 'workflow', 'run')
  }
  return (
    <div className={styles['split']}>
      <Section title={t('workflows:run.title')}>
        <form
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault()
            if (disabledReason === null) void start()
          }}
        >
          <VariablesForm
            variables={declaredVariables}
            typed={form.values}
            onChange={(values) => setForm({ ...form, values })}
            fieldErrorOf={(path) => errors[path]}
          />
          <Textarea
            size="sm"
            label={t('workflows:run.input')}
            description={t('workflows:run.input_help')}
            value={form.input}
            onChange={(event) => setForm({ ...form, input: event.currentTarget.value })}
            maxLength={maxInputLength}
            error={errors['input']}
            minRows={2}
            maxRows={10}
          />
          {editing.isDirty && (
            <p className={styles['warn']}>{t('workflows:run.unsaved', { version: workflow.version })}</p>
          )}
          <WhyDisabled reason={disabledReason}>
            <Button
              type="submit"
              className={styles['start'] ?? ''}
              leftSection={<IconPlayerPlay size={14} />}
              loading={editing.isSaving}
            >
              {editing.isDirty
                ? t('workflows:run.save_first')
                : t('workflows:run.run', { version: workflow.version })}
            </Button>
          </WhyDisabled>
        </form>
      </Section>
      {live === null ? (
        <EmptyState title={t('workflows:run.none')} text={t('workflows:run.none_text')} />
      ) : (
        <LiveView workflow={workflow} live={live} runDisabledReason={runDisabledReason} />
      )}
    </div>
  )
}
