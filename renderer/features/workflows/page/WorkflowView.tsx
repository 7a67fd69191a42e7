import { Button, Tabs } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import type { Workflow } from '../../../../contract/workflow.ts'
import { t } from '../../../lib/i18n.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { useDefinitionEditing } from '../../../shared/definitions/editor/useDefinitionEditing.ts'
import head from '../../../shared/definitions/head.module.css'
import { DefinitionForms } from '../../../shared/definitions/list/DefinitionForms.tsx'
import { useDefinitionActions } from '../../../shared/definitions/list/useDefinitionActions.tsx'
import { DefinitionHeader } from '../../../shared/definitions/page/DefinitionHeader.tsx'
import { useLeaveGuard } from '../../../ui/dialog/useLeaveGuard.ts'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { type WorkflowTab, workflowSearch, workflowTabs } from '../list/workflows.search.ts'
import { useFindings } from '../steps/findings.ts'
import { draftOf, shownDraft, workflowEditing } from './workflow.editing.ts'

const EditTab = lazy(() => import('./EditTab.tsx').then((m) => ({ default: m.EditTab })))
const RunTab = lazy(() => import('../execution/RunTab.tsx').then((m) => ({ default: m.RunTab })))
const ExecutionsTab = lazy(() =>
  import('../execution/ExecutionsTab.tsx').then((m) => ({ default: m.ExecutionsTab })),
)
const VersionsTab = lazy(() =>
  import('../../../shared/definitions/versions/VersionsTab.tsx').then((m) => ({ default: m.VersionsTab })),
)
const AuditTab = lazy(() =>
  import('../../../shared/definitions/page/AuditTab.tsx').then((m) => ({ default: m.AuditTab })),
)
const ConflictDialog = lazy(() =>
  import('../../../shared/definitions/editor/ConflictDialog.tsx').then((m) => ({
    default: m.ConflictDialog,
  })),
)

/** The page of a loaded workflow. Unsaved changes stay while the user switches between tabs. */
export function WorkflowView({ workflow }: { readonly workflow: Workflow }) {
  const [search, setSearch] = useSearchState(workflowSearch)
  const tab = search.tab ?? 'edit'
  const editing = useDefinitionEditing(workflowEditing, workflow)
  const actions = useDefinitionActions('workflow')
  const findings = useFindings(editing.draft.steps, workflow.workspace_id)
  useLeaveGuard(editing.isDirty)
  const errors = findings?.check.findings.filter(({ severity }) => severity === 'error').length ?? 0
  const whyNot = errors > 0 ? t('workflows:findings.mend', { count: errors }) : null
  const save = (): void => {
    if (actions.mayNotWrite === null && whyNot === null) void editing.save()
  }
  const go = (next: WorkflowTab): void =>
    setSearch({ tab: next, from: undefined, to: undefined, status: undefined })
  useKeys([
    { keys: 'mod+s', label: t('common:save'), run: save },
    ...workflowTabs.map((name, index) => ({
      keys: String(index + 1),
      label: t('workflows:tab.go', { tab: t(`workflows:tab.${name}`) }),
      run: () => go(name),
    })),
  ])
  return (
    <>
      <Page>
        <DefinitionHeader definition={workflow} editing={editing} actions={actions} whyNotSave={whyNot}>
          {tab !== 'run' && (
            <Button variant="default" leftSection={<IconPlayerPlay size={14} />} onClick={() => go('run')}>
              {t('workflows:run.go')}
            </Button>
          )}
        </DefinitionHeader>
        <Tabs value={tab} onChange={(next) => go(next as WorkflowTab)} keepMounted={false}>
          <Tabs.List>
            {workflowTabs.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {t(`workflows:tab.${name}`)}
                {name === 'edit' && editing.isDirty && <span className={head['dot']} aria-hidden="true" />}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} pt="md">
            <Suspense fallback={<PageLoading />}>
              {tab === 'edit' && (
                <EditTab workflow={workflow} editing={editing} actions={actions} findings={findings} />
              )}
              {tab === 'run' && (
                <RunTab
                  workflow={workflow}
                  editing={editing}
                  mayNotRun={actions.mayNotRun}
                  whyNotSave={actions.mayNotWrite ?? whyNot}
                />
              )}
              {tab === 'executions' && (
                <ExecutionsTab workflow={workflow} search={search} setSearch={setSearch} />
              )}
              {tab === 'versions' && (
                <VersionsTab
                  kind="workflow"
                  definition={workflow}
                  search={search}
                  setSearch={setSearch}
                  isDirty={editing.isDirty}
                />
              )}
              {tab === 'audit' && <AuditTab kind="workflow" id={workflow.id} />}
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      </Page>
      <DefinitionForms actions={actions} />
      <Suspense>
        {editing.conflict !== null && (
          <ConflictDialog
            theirs={editing.conflict}
            editing={editing}
            before={shownDraft(draftOf(editing.conflict))}
            after={shownDraft(editing.draft)}
          />
        )}
      </Suspense>
    </>
  )
}
