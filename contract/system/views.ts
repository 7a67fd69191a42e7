import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import {
  anyOf,
  clearable,
  Id,
  item,
  Name,
  Ok,
  page,
  paging,
  readOnly,
  SearchText,
  Timestamp,
} from '../common/fields.ts'

const ViewName = Name(100)
/** The lists of the console that have saved views. */
const ViewPage = z.enum(['audit', 'clients', 'prompts', 'runs', 'sessions', 'statistics'])
export type ViewPage = z.infer<typeof ViewPage>
const QueryText = z.string().max(4096).meta({
  description: 'The search parameters of the page without `?`, such as filters, period and sort order',
})
const Columns = z.array(z.string().min(1).max(64)).max(64)

export const SavedView = z.object({
  id: Id,
  name: z.string(),
  page: z.string().meta({ description: 'The list that the view is of, such as `runs`' }),
  query: QueryText,
  columns: z.array(z.string()).nullable().meta({
    description: 'The visible columns; null: the columns that each reader has chosen',
  }),
  shared: z.boolean(),
  workspace_id: Id.nullable().meta({ description: 'The workspace with which the view is shared' }),
  owner: z.string(),
  can_edit: z.boolean().meta({ description: 'True for the owner and, if the view is shared, for admins' }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type SavedView = z.infer<typeof SavedView>

const sharing = {
  shared: z.boolean().optional().meta({
    description:
      'Shares the view with `workspace_id`, which is then required. Sharing requires the role editor',
  }),
  workspace_id: clearable(z.string().min(1).max(64)).meta({ description: 'ID or slug' }),
}
export const CreateViewBody = z.strictObject({
  name: ViewName,
  page: ViewPage,
  query: QueryText,
  columns: clearable(Columns),
  ...sharing,
})
export const UpdateViewBody = z.strictObject({
  ...readOnly('id', 'page', 'owner', 'can_edit', 'created_at', 'updated_at'),
  name: ViewName.optional(),
  query: QueryText.optional(),
  columns: clearable(Columns),
  ...sharing,
})
const ListViewsQuery = z.strictObject({
  ...paging(['name', '-name']),
  page: anyOf(ViewPage),
  workspace: anyOf(z.string().min(1).max(64)),
  q: SearchText.optional(),
})

const tag = 'Saved views'
const viewExample: z.input<typeof SavedView> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
  name: 'Slow calls in production',
  page: 'runs',
  query: 'env=prod&min_latency_ms=5000&period=7d&sort=-latency_ms',
  columns: ['time', 'key', 'model', 'latency', 'cost'],
  shared: true,
  workspace_id: 'default',
  owner: 'edda',
  can_edit: true,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
}
const params = z.object({ id: z.string().min(1).max(64) })

export const views = {
  list: endpoint({
    tag,
    method: 'GET',
    path: '/api/views',
    workspaces: 'filter',
    summary: 'List own and shared views, by name',
    permission: 'views.save',
    query: ListViewsQuery,
    reply: page(SavedView),
    example: { query: 'page=runs', reply: { data: [viewExample], total: 1, next_cursor: null } },
  }),
  create: endpoint({
    tag,
    method: 'POST',
    path: '/api/views',
    workspaces: 'input',
    summary: 'Save a view',
    permission: 'views.save',
    body: CreateViewBody,
    reply: item(SavedView),
    status: 201,
    idempotent: true,
    problems: ['idempotency.mismatch', 'store.full'],
    example: {
      body: {
        name: 'Slow calls in production',
        page: 'runs',
        query: 'env=prod&min_latency_ms=5000&period=7d&sort=-latency_ms',
        columns: ['time', 'key', 'model', 'latency', 'cost'],
        shared: true,
        workspace_id: 'default',
      },
      reply: { data: viewExample },
    },
  }),
  update: endpoint({
    tag,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/views/:id',
    workspaces: 'item',
    summary: 'Update a saved view, or change with whom it is shared',
    description: 'Only its owner may change a view; admins may also change shared ones.',
    permission: 'views.save',
    params,
    body: UpdateViewBody,
    reply: item(SavedView),
    problems: ['not_found'],
    example: { body: { name: 'Slow calls' }, reply: { data: { ...viewExample, name: 'Slow calls' } } },
  }),
  remove: endpoint({
    tag,
    method: 'DELETE',
    path: '/api/views/:id',
    workspaces: 'item',
    summary: 'Delete a view',
    permission: 'views.save',
    params,
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
}
