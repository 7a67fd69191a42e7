import { IconFlask } from '@tabler/icons-react'
import { lazy } from 'react'
import type { Agent } from '../../../../contract/agents/agent.ts'
import { t } from '../../../lib/i18n.ts'
import { lazyEarly } from '../../../lib/page/lazyEarly.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { useDefinitionEditing } from '../../../shared/definitions/editor/useDefinitionEditing.ts'
import { useDefinitionActions } from '../../../shared/definitions/list/useDefinitionActions.tsx'
import { DefinitionView } from '../../../shared/definitions/page/DefinitionView.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { agentEditing, draftOf, saveDisabledReasonOf } from '../editor/agent.editing.ts'
import { agentSearch, agentTabs } from '../list/agents.search.ts'

const EditTab = lazyEarly(() => import('../editor/EditTab.tsx').then((m) => m.EditTab))
const RunsTab = lazy(() => import('../run/RunsTab.tsx').then((m) => ({ default: m.RunsTab })))

export function AgentView({ agent }: { readonly agent: Agent }) {
  const [search, setSearch] = useSearchState('/agents/$id', agentSearch)
  const tab = search.tab ?? 'edit'
  const editing = useDefinitionEditing(agentEditing, agent)
  const actions = useDefinitionActions('agent')
  return (
    <DefinitionView
      kind="agent"
      definition={agent}
      editing={editing}
      actions={actions}
      saveDisabledReason={saveDisabledReasonOf(editing.draft)}
      tabs={agentTabs}
      tab={tab}
      tabName={(name) => t(`agents:tab.${name}`)}
      onTab={(next) => setSearch({ tab: next, from: undefined, to: undefined })}
      search={search}
      setSearch={setSearch}
      comparable={(draft) => draft}
      draftOf={draftOf}
      headerActions={
        <LinkButton
          variant="default"
          leftSection={<IconFlask size={14} />}
          to="/playground"
          search={{ agent: agent.id }}
        >
          {t('agents:playground')}
        </LinkButton>
      }
    >
      {tab === 'edit' && <EditTab agent={agent} editing={editing} actions={actions} />}
      {tab === 'runs' && <RunsTab agent={agent} />}
    </DefinitionView>
  )
}
