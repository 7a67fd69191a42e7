import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { t } from '../../../lib/i18n.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from './drawer.module.css'
import { definitionQuery } from './run.queries.ts'
import type { RunActions } from './runActions.ts'
import { SameKey } from './SameKey.tsx'

type Props = {
  readonly run: RunDetail
  readonly traceId: string | undefined
  readonly actions: RunActions
}

/** Links from a run to what it belongs to, and to similar runs. */
export function RunLinks({ run, traceId, actions }: Props) {
  const { ref_key: key, session_id: session, client_id: clientId } = run
  const trace = run.trace_id === traceId ? null : run.trace_id
  const belongsTo = [key, session, trace, clientId, run.parent_id]
  if (run.status === 'ok' && belongsTo.every((id) => id === null)) return null
  return (
    <Section title={t('runs:related')}>
      <div className={styles['links']}>
        {key !== null && <DefinitionLink run={{ ...run, ref_key: key }} />}
        <TraceLinks run={run} />
        {session !== null && (
          <LinkButton
            variant="default"
            to="/sessions/$id"
            params={{ id: session }}
            search={{ workspace: run.workspace_id }}
          >
            {t('runs:show.session')}
          </LinkButton>
        )}
        {trace !== null && (
          <LinkButton
            variant="default"
            to="/traces/$id"
            params={{ id: trace }}
            search={{ workspace: run.workspace_id }}
          >
            {t('runs:show.trace')}
          </LinkButton>
        )}
        {clientId !== null && (
          <LinkButton
            variant="default"
            to="/clients/{-$id}"
            params={{ id: clientId }}
            search={{ include: 'gone' }}
          >
            {t('runs:show.client')}
          </LinkButton>
        )}
        {key !== null && (
          <>
            <SameKey run={{ ...run, ref_key: key }} onOpen={actions.open} />
            <Button variant="default" onClick={() => actions.replaceFilters({ ref_key: [key] })}>
              {t('runs:show.key')}
            </Button>
          </>
        )}
        {run.status === 'error' && (
          <Button
            variant="default"
            onClick={() => actions.replaceFilters({ status: ['error'], model: [run.model] })}
          >
            {t('runs:show.errors')}
          </Button>
        )}
      </div>
    </Section>
  )
}

/** Links to the workflow execution or the run that a run is part of, and to the other runs of it. */
function TraceLinks({ run: { id, parent_id: parent, source } }: { readonly run: RunDetail }) {
  if (parent === null) return null
  return (
    <>
      {source === 'workflow' && (
        <LinkButton variant="default" to="/workflow-runs/$id" params={{ id: parent }}>
          {t('runs:show.execution')}
        </LinkButton>
      )}
      {/^\d+$/.test(parent) && (
        <LinkButton variant="default" to="/runs/{-$id}" params={{ id: parent }} search={{ period: 'all' }}>
          {t('runs:show.parent_run')}
        </LinkButton>
      )}
      <LinkButton
        variant="default"
        to="/runs/{-$id}"
        params={{ id: String(id) }}
        search={{ parent_id: [parent], period: 'all', sort: 'created_at' }}
      >
        {t('runs:show.parent')}
      </LinkButton>
    </>
  )
}

/** Link to the prompt version or the agent of a run, if it still exists. */
function DefinitionLink({ run }: { readonly run: RunDetail & { readonly ref_key: string } }) {
  const found = useQuery(definitionQuery(run)).data
  if (found === undefined || found === null) return null
  const { id, kind } = found
  return kind === 'agent' ? (
    <LinkButton variant="default" to="/agents/$id" params={{ id }}>
      {t('runs:show.agent')}
    </LinkButton>
  ) : (
    <LinkButton variant="default" to="/prompts/$id" params={{ id }} search={{ tab: 'versions' }}>
      {run.version === null ? t('runs:show.prompt') : t('runs:show.prompt_version', { version: run.version })}
    </LinkButton>
  )
}
