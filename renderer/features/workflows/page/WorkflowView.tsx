import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { lazy } from 'react'
import type { Workflow } from '../../../../contract/workflows/workflow.ts'
import { t } from '../../../lib/i18n.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { useDefinitionEditing } from '../../../shared/definitions/editor/useDefinitionEditing.ts'
import { useDefinitionActions } from '../../../shared/definitions/list/useDefinitionActions.tsx'
import { DefinitionView } from '../../../shared/definitions/page/DefinitionView.tsx'
import { type WorkflowTab, workflowSearch, workflowTabs } from '../list/workflows.search.ts'
import { useFindings } from '../steps/findings.ts'
import { comparableDraft, draftOf, workflowEditing } from './workflow.editing.ts'

const EditTab = lazy(() => import('./EditTab.tsx').then((m) => ({ default: m.EditTab })))
const RunTab = lazy(() => import('../execution/RunTab.tsx').then((m) => ({ default: m.RunTab })))
const ExecutionsTab = lazy(() =>
  import('../execution/ExecutionsTab.tsx').then((m) => ({ default: m.ExecutionsTab })),
)

export function WorkflowView({ workflow }: { readonly workflow: Workflow }) {
  const [search, setSearch] = useSearchState('/workflows/$id', workflowSearch)
  const tab = search.tab ?? 'edit'
  const editing = useDefinitionEditing(workflowEditing, workflow)
  const actions = useDefinitionActions('workflow')
  const findings = useFindings(editing.draft.steps, workflow.workspace_id)
  const errors = findings?.check.findings.filter(({ severity }) => severity === 'error').length ?? 0
  const disabledReason = errors > 0 ? t('workflows:findings.fix', { count: errors }) : null
  const go = (next: WorkflowTab): void =>
    setSearch({ tab: next, from: undefined, to: undefined, status: undefined })
  return (
    <DefinitionView
      kind="workflow"
      definition={workflow}
      editing={editing}
      actions={actions}
      saveDisabledReason={disabledReason}
      tabs={workflowTabs}
      tab={tab}
      tabName={(name) => t(`workflows:tab.${name}`)}
      onTab={go}
      search={search}
      setSearch={setSearch}
      comparable={comparableDraft}
      draftOf={draftOf}
      headerActions={
        tab !== 'run' && (
          <Button variant="default" leftSection={<IconPlayerPlay size={14} />} onClick={() => go('run')}>
            {t('workflows:run.go')}
          </Button>
        )
      }
    >
      {tab === 'edit' && (
        <EditTab workflow={workflow} editing={editing} actions={actions} findings={findings} />
      )}
      {tab === 'run' && (
        <RunTab
          workflow={workflow}
          editing={editing}
          runDisabledReason={actions.runDisabledReason}
          saveDisabledReason={actions.writeDisabledReason ?? disabledReason}
        />
      )}
      {tab === 'executions' && <ExecutionsTab workflow={workflow} search={search} setSearch={setSearch} />}
    </DefinitionView>
  )
}
