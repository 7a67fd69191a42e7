import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { lazyEarly } from '../../../lib/page/lazyEarly.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { useDialogState } from '../../../lib/state/useDraft.ts'
import { TabList } from '../../../shared/resources/page/TabList.tsx'
import { usePageKeys } from '../../../shared/resources/page/usePageKeys.ts'
import { useLeaveGuard } from '../../../ui/dialog/useLeaveGuard.ts'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { usePromptEditing } from '../editor/usePromptEditing.ts'
import { PromptForms } from '../forms/PromptForms.tsx'
import { promptSearch, searchForTab, type Tab, tabs } from '../list/prompts.search.ts'
import { convergenceQuery } from '../prompts.queries.ts'
import { usePromptActions } from '../usePromptActions.tsx'
import { PromptHeader } from './PromptHeader.tsx'
import styles from './prompt.module.css'

const EditTab = lazyEarly(() => import('../editor/EditTab.tsx').then((m) => m.EditTab))
const VersionsTab = lazy(() =>
  import('../versions/VersionsTab.tsx').then((m) => ({ default: m.VersionsTab })),
)
const RunsTab = lazy(() => import('../runs/RunsTab.tsx').then((m) => ({ default: m.RunsTab })))
const ClientsTab = lazy(() => import('../clients/ClientsTab.tsx').then((m) => ({ default: m.ClientsTab })))
const AuditTab = lazy(() => import('./AuditTab.tsx').then((m) => ({ default: m.AuditTab })))
const ConflictDialog = lazy(() =>
  import('../editor/ConflictDialog.tsx').then((m) => ({ default: m.ConflictDialog })),
)
const PublishDialog = lazy(() =>
  import('../release/PublishDialog.tsx').then((m) => ({ default: m.PublishDialog })),
)

const nameOf = (tab: Tab): string => t(`prompt:tab.${tab}`)

/** The page of a loaded prompt. Unsaved changes stay while the user switches between tabs. */
export function PromptView({ prompt }: { readonly prompt: Prompt }) {
  const [search, setSearch] = useSearchState('/prompts/$id', promptSearch)
  const tab = search.tab ?? 'edit'
  const isFilled = tab === 'edit' || tab === 'audit'
  const editing = usePromptEditing(prompt)
  const { actions, openDialog, close } = usePromptActions()
  const rollout = useQuery(convergenceQuery(prompt.id, prompt.version)).data
  const [isPublishing, setPublishing] = useDialogState<true>(
    `publish.${prompt.id}`,
    search.open === 'publish' && prompt.has_draft ? true : null,
  )
  useLeaveGuard(editing.isDirty)
  const publish = async (): Promise<void> => {
    if (await editing.save()) setPublishing(true)
  }
  const closePublish = (): void => {
    setPublishing(null)
    if (search.open !== undefined) setSearch({ open: undefined }, { replace: true })
  }
  usePageKeys({
    save: {
      label: t('prompt:edit.save'),
      run: () => {
        if (actions.writeDisabledReason === null) void editing.save()
      },
    },
    tabs,
    tabLabel: (name) => t('prompt:tab.go', { tab: nameOf(name) }),
    onTab: (name) => setSearch(searchForTab(name)),
  })
  return (
    <>
      {prompt.env === 'prod' && <div className={styles['prod']} data-testid="prod-line" />}
      <Page isFilled={isFilled}>
        <PromptHeader
          prompt={prompt}
          rollout={rollout}
          editing={editing}
          actions={actions}
          onPublish={() => void publish()}
        />
        <Tabs
          value={tab}
          onChange={(next) => setSearch(searchForTab(next as Tab))}
          keepMounted={false}
          className={styles['tabs'] ?? ''}
          data-filled={isFilled || undefined}
        >
          <TabList tabs={tabs} nameOf={nameOf} isDirty={editing.isDirty} />
          <Tabs.Panel value={tab} className={styles['panel'] ?? ''}>
            <Suspense fallback={<PageLoading />}>
              {tab === 'edit' && (
                <EditTab
                  prompt={prompt}
                  editing={editing}
                  writeDisabledReason={actions.writeDisabledReason}
                />
              )}
              {tab === 'versions' && <VersionsTab prompt={prompt} search={search} setSearch={setSearch} />}
              {tab === 'runs' && <RunsTab prompt={prompt} search={search} setSearch={setSearch} />}
              {tab === 'clients' && <ClientsTab prompt={prompt} />}
              {tab === 'audit' && <AuditTab prompt={prompt} search={search} setSearch={setSearch} />}
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      </Page>
      <PromptForms openDialog={openDialog} close={close} />
      <Suspense>
        {editing.conflict !== null && <ConflictDialog theirs={editing.conflict} editing={editing} />}
        {isPublishing && <PublishDialog prompt={prompt} onClose={closePublish} />}
      </Suspense>
    </>
  )
}
