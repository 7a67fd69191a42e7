import { Button } from '@mantine/core'
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../../contract/agents/agent.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { fieldErrors } from '../../../lib/service/api.ts'
import { useDependentInvalidation } from '../../../lib/service/dependentInvalidation.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { useStore } from '../../../lib/state/store.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import {
  missingOf,
  type TypedValues,
  VariablesForm,
  valuesOf,
} from '../../../shared/models/VariablesForm.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { inputQuery } from '../agents.queries.ts'
import type { AgentEditing } from '../editor/agent.editing.ts'
import { runAgent, runnerOf, stopAgent } from './agent.runner.ts'
import { RunResponse } from './RunResponse.tsx'
import styles from './run.module.css'

type Props = {
  readonly agent: Agent
  readonly editing: AgentEditing
  readonly runDisabledReason: DisabledReason
  /** The reason why the draft cannot be saved; null if it can. */
  readonly saveDisabledReason: DisabledReason
  readonly typed: TypedValues
  readonly setTyped: (typed: TypedValues) => void
}

/** A panel that runs the agent: values for its variables, the streamed response, and its cost. */
export function RunPanel({ agent, editing, runDisabledReason, saveDisabledReason, typed, setTyped }: Props) {
  const query = useQuery(inputQuery(agent.id))
  useDependentInvalidation('prompt', ['agent', 'input', agent.id])
  const run = useStore(runnerOf(agent.id).state)
  const input = query.data
  const declaredVariables = input?.variables ?? []
  const missing = missingOf(declaredVariables, typed)
  const isRunning = run?.status === 'running'
  const errors = fieldErrors(run?.failure)
  const disabledReason =
    runDisabledReason ??
    (editing.isDirty ? saveDisabledReason : null) ??
    (editing.isDirty || input === undefined || input.ready ? null : input.reason) ??
    (editing.isDirty || missing.length === 0
      ? null
      : t('agents:run.missing', { names: missing.join(', '), count: missing.length }))
  const start = async (): Promise<void> => {
    if (editing.isDirty && !(await editing.save())) return
    const variables = (await query.refetch()).data?.variables ?? declaredVariables
    if (missingOf(variables, typed).length === 0) await runAgent(agent.id, valuesOf(variables, typed))
  }
  return (
    <Section
      title={t('agents:run.title')}
      aside={
        isRunning ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlayerStop size={14} />}
            onClick={() => stopAgent(agent.id)}
          >
            {t('agents:run.stop')}
          </Button>
        ) : (
          <WhyDisabled reason={disabledReason}>
            <Button
              size="compact-sm"
              leftSection={<IconPlayerPlay size={14} />}
              loading={editing.isSaving}
              onClick={() => void start()}
            >
              {t(editing.isDirty ? 'agents:run.save_and_run' : 'agents:run.run', {
                version: agent.version,
              })}
            </Button>
          </WhyDisabled>
        )
      }
    >
      <div className={styles['stack']}>
        {input === undefined ? (
          query.error !== null && <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <>
            {input.prompt !== null && (
              <p className={styles['note']}>
                {tNode('agents:run.uses', {
                  key: <span className="mono">{input.prompt.key}</span>,
                  version: <span className="mono">{input.prompt.version}</span>,
                  env: input.prompt.env,
                })}
              </p>
            )}
            {!input.ready && <p className={styles['warn']}>{input.reason}</p>}
            <form
              onSubmit={(event) => {
                event.preventDefault()
                if (disabledReason === null && !isRunning && !editing.isSaving) void start()
              }}
            >
              <VariablesForm
                variables={declaredVariables}
                typed={typed}
                onChange={setTyped}
                fieldErrorOf={(path) => errors[path]}
              />
            </form>
          </>
        )}
        {run !== null && <RunResponse run={run} />}
      </div>
    </Section>
  )
}
