import { Tabs } from '@mantine/core'
import { IconFlask } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import type { Agent } from '../../../contract/agent.ts'
import { t } from '../../lib/i18n.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { useDefinitionEditing } from '../../shared/definitions/editor/useDefinitionEditing.ts'
import head from '../../shared/definitions/head.module.css'
import { DefinitionForms } from '../../shared/definitions/list/DefinitionForms.tsx'
import { useDefinitionActions } from '../../shared/definitions/list/useDefinitionActions.tsx'
import { DefinitionHeader } from '../../shared/definitions/page/DefinitionHeader.tsx'
import { useLeaveGuard } from '../../ui/dialog/useLeaveGuard.ts'
import { LinkButton } from '../../ui/display/LinkButton.tsx'
import { PageLoading } from '../../ui/feedback/PageLoading.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { agentEditing, draftOf, whyNotSave } from './agent.editing.ts'
import { type AgentTab, agentSearch, agentTabs } from './agents.search.ts'

const EditTab = lazy(() => import('./EditTab.tsx').then((m) => ({ default: m.EditTab })))
const VersionsTab = lazy(() =>
  import('../../shared/definitions/versions/VersionsTab.tsx').then((m) => ({ default: m.VersionsTab })),
)
const RunsTab = lazy(() =>
  import('../../shared/definitions/page/RunsTab.tsx').then((m) => ({ default: m.RunsTab })),
)
const AuditTab = lazy(() =>
  import('../../shared/definitions/page/AuditTab.tsx').then((m) => ({ default: m.AuditTab })),
)
const ConflictDialog = lazy(() =>
  import('../../shared/definitions/editor/ConflictDialog.tsx').then((m) => ({ default: m.ConflictDialog })),
)

/** The page of a loaded agent. Unsaved changes stay while the user switches between tabs. */
export function AgentView({ agent }: { readonly agent: Agent }) {
  const [search, setSearch] = useSearchState(agentSearch)
  const tab = search.tab ?? 'edit'
  const editing = useDefinitionEditing(agentEditing, agent)
  const actions = useDefinitionActions('agent')
  useLeaveGuard(editing.isDirty)
  const whyNot = whyNotSave(editing.draft)
  const save = (): void => {
    if (actions.mayNotWrite === null && whyNot === null) void editing.save()
  }
  useKeys([
    { keys: 'mod+s', label: t('common:save'), run: save },
    ...agentTabs.map((name, index) => ({
      keys: String(index + 1),
      label: t('agents:tab.go', { tab: t(`agents:tab.${name}`) }),
      run: () => setSearch({ tab: name }),
    })),
  ])
  return (
    <>
      <Page>
        <DefinitionHeader definition={agent} editing={editing} actions={actions} whyNotSave={whyNot}>
          <LinkButton
            variant="default"
            leftSection={<IconFlask size={14} />}
            to="/playground"
            search={{ agent: agent.id }}
          >
            {t('agents:playground')}
          </LinkButton>
        </DefinitionHeader>
        <Tabs
          value={tab}
          onChange={(next) => setSearch({ tab: next as AgentTab, from: undefined, to: undefined })}
          keepMounted={false}
        >
          <Tabs.List>
            {agentTabs.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {t(`agents:tab.${name}`)}
                {name === 'edit' && editing.isDirty && <span className={head['dot']} aria-hidden="true" />}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} pt="md">
            <Suspense fallback={<PageLoading />}>
              {tab === 'edit' && <EditTab agent={agent} editing={editing} actions={actions} />}
              {tab === 'versions' && (
                <VersionsTab
                  kind="agent"
                  definition={agent}
                  search={search}
                  setSearch={setSearch}
                  isDirty={editing.isDirty}
                />
              )}
              {tab === 'runs' && <RunsTab kind="agent" definition={agent} />}
              {tab === 'audit' && <AuditTab kind="agent" id={agent.id} />}
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
            before={draftOf(editing.conflict)}
            after={editing.draft}
          />
        )}
      </Suspense>
    </>
  )
}
