import { Tabs } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { useLeaveGuard } from '../../../ui/dialog/useLeaveGuard.ts'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { TabList } from '../../resources/page/TabList.tsx'
import { usePageKeys } from '../../resources/page/usePageKeys.ts'
import type { SidesPatch } from '../../resources/versions/sides.ts'
import { catalogueOf, type Definition, type Kind } from '../definition.ts'
import type { DefinitionEditing } from '../editor/useDefinitionEditing.ts'
import { DefinitionForms } from '../list/DefinitionForms.tsx'
import type { DefinitionActions } from '../list/useDefinitionActions.tsx'
import { DefinitionHeader } from './DefinitionHeader.tsx'

const VersionsTab = lazy(() =>
  import('../versions/VersionsTab.tsx').then((m) => ({ default: m.VersionsTab })),
)
const AuditTab = lazy(() => import('./AuditTab.tsx').then((m) => ({ default: m.AuditTab })))
const ConflictDialog = lazy(() =>
  import('../editor/ConflictDialog.tsx').then((m) => ({ default: m.ConflictDialog })),
)

type Props<T extends Definition, D extends object, Tab extends string> = {
  readonly kind: Kind
  readonly definition: T
  readonly editing: DefinitionEditing<T, D>
  readonly actions: DefinitionActions
  /** Reason why the draft cannot be saved, as far as the page knows; null if it can. */
  readonly saveDisabledReason: DisabledReason
  readonly tabs: readonly Tab[]
  readonly tab: Tab
  readonly tabName: (tab: Tab) => string
  readonly onTab: (tab: Tab) => void
  /** The sides of the comparison on the tab `versions`. */
  readonly search: SidesPatch
  readonly setSearch: SetSearch<SidesPatch>
  /** Returns the form in which two drafts are compared. */
  readonly comparable: (draft: D) => object
  readonly draftOf: (saved: T) => D
  readonly headerActions: ReactNode
  /** The open tab, unless it is `versions` or `audit`. */
  readonly children: ReactNode
}

/** The page of a loaded agent or workflow. Unsaved changes stay while the user switches between tabs. */
export function DefinitionView<T extends Definition, D extends object, Tab extends string>(
  props: Props<T, D, Tab>,
) {
  const { kind, definition, editing, actions, saveDisabledReason, tab, tabs, tabName, onTab } = props
  useLeaveGuard(editing.isDirty)
  const save = (): void => {
    if (actions.writeDisabledReason === null && saveDisabledReason === null) void editing.save()
  }
  usePageKeys({
    save: { label: t('common:save'), run: save },
    tabs,
    tabLabel: (name) => t(`${catalogueOf[kind]}:tab.go`, { tab: tabName(name) }),
    onTab,
  })
  return (
    <>
      <Page>
        <DefinitionHeader
          definition={definition}
          editing={editing}
          actions={actions}
          saveDisabledReason={saveDisabledReason}
        >
          {props.headerActions}
        </DefinitionHeader>
        <Tabs value={tab} onChange={(next) => onTab(next as Tab)} keepMounted={false}>
          <TabList tabs={tabs} nameOf={tabName} isDirty={editing.isDirty} />
          <Tabs.Panel value={tab} pt="md">
            <Suspense fallback={<PageLoading />}>
              {tab === 'versions' && (
                <VersionsTab
                  kind={kind}
                  definition={definition}
                  search={props.search}
                  setSearch={props.setSearch}
                  isDirty={editing.isDirty}
                />
              )}
              {tab === 'audit' && <AuditTab kind={kind} id={definition.id} />}
              {props.children}
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
            before={props.comparable(props.draftOf(editing.conflict))}
            after={props.comparable(editing.draft)}
          />
        )}
      </Suspense>
    </>
  )
}
