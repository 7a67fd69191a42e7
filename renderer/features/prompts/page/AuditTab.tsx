import '../../../shared/audit/audit.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { AuditEntry } from '../../../../contract/system/audit.ts'
import { t } from '../../../lib/i18n.ts'
import { useOpenPage } from '../../../lib/page/openPage.ts'
import { useRowHoverOrFocus } from '../../../lib/page/rowHoverOrFocus.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { usePaging } from '../../../lib/service/paging.ts'
import { usePausedRows } from '../../../lib/state/pausedRows.ts'
import { AuditDrawer } from '../../../shared/audit/AuditDrawer.tsx'
import { auditColumns } from '../../../shared/audit/columns.tsx'
import { AuditLogLink } from '../../../shared/resources/page/AuditLogLink.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { useRowNavigation } from '../../../ui/page/rowNavigation.ts'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import type { PromptSearch } from '../list/prompts.search.ts'
import { auditOfQuery } from '../prompts.queries.ts'
import styles from './prompt.module.css'

type Props = {
  readonly prompt: Prompt
  readonly search: PromptSearch
  readonly setSearch: SetSearch<PromptSearch>
}

const columns = auditColumns()
const none: readonly AuditEntry[] = []
const idOf = (entry: AuditEntry): string => String(entry.id)

/** The audit entries of one prompt, newest first. A row opens the state before and after the change. */
export function AuditTab({ prompt, search: { cursor, entry: openId }, setSearch }: Props) {
  const query = useQuery(auditOfQuery(prompt.id, cursor))
  const paging = usePaging(cursor, query.data)
  const openPage = useOpenPage()
  const [isAtTop, setAtTop] = useState(true)
  const { isHoveredOrFocused, handlers } = useRowHoverOrFocus()
  const updates = usePausedRows(query.data?.data ?? none, idOf, {
    isPaused: !isAtTop || isHoveredOrFocused || openId !== undefined,
    scope: `${prompt.id} ${cursor}`,
    isPlaceholder: query.isPlaceholderData,
  })
  const open = (entry: AuditEntry): void =>
    setSearch({ cursor, entry: idOf(entry) }, { replace: openId !== undefined })
  const navigation = useRowNavigation({
    rows: updates.rows,
    idOf,
    openId,
    onOpen: open,
    paging,
    page: cursor,
    isPlaceholder: query.isPlaceholderData,
    isByTime: true,
  })
  return (
    <>
      <div className={styles['entries']} {...handlers}>
        <div className={styles['entriesHead']}>
          <AuditLogLink resource="prompt" id={prompt.id} label={t('prompt:audit.all')} />
        </div>
        <DataTable
          name="prompt-audit"
          label={t('prompt:audit.title')}
          query={query}
          rows={updates.rows}
          columns={columns}
          idOf={idOf}
          paging={paging}
          openId={openId}
          onOpen={(entry, isNewTab) =>
            isNewTab ? openPage({ to: '/audit/{-$id}', params: { id: idOf(entry) } }, true) : open(entry)
          }
          pendingRows={{
            count: updates.newCount,
            label: t('audit:waiting', { count: updates.newCount, shown: updates.newCountText }),
            onShow: updates.showNew,
          }}
          onAtTop={setAtTop}
          empty={<EmptyState title={t('audit:empty.title')} text={t('audit:empty.text')} />}
        />
      </div>
      {openId !== undefined && (
        <AuditDrawer
          key="drawer"
          id={openId}
          navigation={navigation}
          onClose={() => setSearch({ cursor, entry: undefined })}
        />
      )}
    </>
  )
}
