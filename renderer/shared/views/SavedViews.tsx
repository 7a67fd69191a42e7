import './views.texts.ts'
import { Button, Menu } from '@mantine/core'
import { IconBookmark, IconDeviceFloppy, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { SavedView, ViewPage } from '../../../contract/system/views.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { useColumnChoice } from '../../lib/state/columns.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { toast } from '../../ui/feedback/toast.ts'
import type { Column } from '../../ui/table/columns.ts'
import { deleteView } from './deleteView.ts'
import { searchOf, viewsQuery, viewText } from './views.queries.ts'

const ViewForm = lazy(() => import('./ViewForm.tsx').then((module) => ({ default: module.ViewForm })))

export type SavedViewsProps = {
  /** The name of the list in the API of views. Also the name of its table. */
  readonly page: ViewPage
  /** The search parameters of the page. */
  readonly search: Readonly<Record<string, unknown>> & { readonly view?: string | undefined }
  /** The page's `setSearch`. */
  readonly onChange: (patch: never) => void
  /** The columns of the table; null if the page has none to choose. */
  readonly columns: readonly Pick<Column<never>, 'key' | 'isOptional' | 'isFixed'>[] | null
}
type Change = (patch: Readonly<Record<string, unknown>>) => void

/** Menu that opens, saves and manages the saved views of a list. */
export function SavedViews({ page, search, onChange, columns }: SavedViewsProps) {
  const change = onChange as Change
  const choice = useColumnChoice(page)
  const { data: views = [] } = useQuery(viewsQuery(page))
  const [form, setForm] = useDialogState<{ readonly view: SavedView | null }>(`view.${page}`)
  const current = views.find(({ id }) => id === search.view) ?? null
  const text = viewText(search)
  const isChanged = current !== null && text !== current.query
  const open = (view: SavedView): void => {
    if (columns !== null && view.columns !== null) choice.show(columns, view.columns)
    const cleared = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]))
    change({ ...cleared, ...searchOf(view) })
  }
  const visible = columns?.filter(({ key, isOptional = false }) => !choice.isHidden(key, isOptional))
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconBookmark size={14} />}
            styles={{ label: { maxWidth: 200 } }}
          >
            <bdi className="truncate">
              {current === null
                ? t('views:button')
                : isChanged
                  ? t('views:modified', { name: current.name })
                  : current.name}
            </bdi>
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={480} style={{ overflowY: 'auto' }}>
          {views.length === 0 && <Menu.Label>{t('views:none')}</Menu.Label>}
          <ViewItems label={t('views:own')} views={views.filter(({ shared }) => !shared)} onOpen={open} />
          <ViewItems label={t('views:shared')} views={views.filter(({ shared }) => shared)} onOpen={open} />
          <Menu.Divider />
          <Menu.Item leftSection={<IconDeviceFloppy size={14} />} onClick={() => setForm({ view: null })}>
            {t(current === null ? 'views:save' : 'views:save_copy')}
          </Menu.Item>
          {current !== null && (
            <CurrentItems
              view={current}
              text={text}
              isChanged={isChanged}
              onEdit={() => setForm({ view: current })}
              onDeleted={() => change({ view: undefined })}
            />
          )}
          <Menu.Item component={Link} to="/views">
            {t('views:all')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {form !== null && (
        <Suspense>
          <ViewForm
            view={form.view ?? { page, query: text }}
            columns={visible?.map(({ key }) => key) ?? null}
            onClose={() => setForm(null)}
            onSaved={({ id }) => change({ view: id })}
          />
        </Suspense>
      )}
    </>
  )
}

type ViewItemsProps = {
  readonly label: string
  readonly views: readonly SavedView[]
  readonly onOpen: (view: SavedView) => void
}

function ViewItems({ label, views, onOpen }: ViewItemsProps) {
  if (views.length === 0) return null
  return (
    <>
      <Menu.Label>{label}</Menu.Label>
      {views.map((view) => (
        <Menu.Item key={view.id} onClick={() => onOpen(view)}>
          <bdi>{view.name}</bdi>
          {!view.can_edit && <span className="dimmed"> {t('views:by', { owner: view.owner })}</span>}
        </Menu.Item>
      ))}
    </>
  )
}

type CurrentItemsProps = {
  readonly view: SavedView
  /** The search of the page, as the view would store it. */
  readonly text: string
  readonly isChanged: boolean
  readonly onEdit: () => void
  readonly onDeleted: () => void
}

/** Actions for the open view. */
function CurrentItems({ view, text, isChanged, onEdit, onDeleted }: CurrentItemsProps) {
  const queries = useQueryClient()
  const { id, name, can_edit: canEdit, owner } = view
  const update = async (): Promise<void> => {
    await client.views.update({ params: { id }, body: { query: text } })
    await queries.invalidateQueries({ queryKey: ['view'] })
    toast(t('views:updated', { name }))
  }
  const remove = async (): Promise<void> => {
    if (await deleteView(queries, view)) onDeleted()
  }
  if (!canEdit) return <Menu.Label>{t('views:only_owner', { owner })}</Menu.Label>
  return (
    <>
      <Menu.Item leftSection={<IconRefresh size={14} />} disabled={!isChanged} onClick={() => void update()}>
        {t('views:update', { name })}
      </Menu.Item>
      <Menu.Item leftSection={<IconPencil size={14} />} onClick={onEdit}>
        {t('views:edit', { name })}
      </Menu.Item>
      <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => void remove()}>
        {t('views:delete', { name })}
      </Menu.Item>
    </>
  )
}
