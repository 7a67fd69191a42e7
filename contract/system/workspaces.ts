import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { environments } from '../common/environments.ts'
import {
  clearable,
  Id,
  item,
  Name,
  page,
  paging,
  readOnly,
  SearchText,
  Slug,
  Timestamp,
} from '../common/fields.ts'
import { Budget, TimeZone } from '../gateway/budgets.ts'
import { CaptureMode } from '../models/models.ts'

/** Id and slug of the built-in workspace; it always exists. */
export const defaultWorkspaceId = 'default'

export const Workspace = z.object({
  id: Id,
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  prompt_count: z.int(),
  agent_count: z.int(),
  workflow_count: z.int(),
  protected_envs: z.array(z.enum(environments)).meta({
    description: 'Environments in which only admins can publish, roll back, promote into or delete',
  }),
  capture: CaptureMode.nullable().meta({
    description: 'Capture mode of inputs and outputs; null to use the setting',
  }),
  time_zone: z
    .string()
    .meta({ description: 'Time zone in which days and months of budgets begin; `UTC` unless set' }),
  budget: Budget.nullable().meta({
    description: 'Budget of the calls through the gateway in this workspace; null for none',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Workspace = z.infer<typeof Workspace>

const Description = z.string().max(2000)
/** Only an admin may change this field, `capture`, `time_zone` and `budget`. */
const ProtectedEnvs = z
  .array(z.enum(environments))
  .max(environments.length)
  .transform((envs) => environments.filter((env) => envs.includes(env)))

export const CreateWorkspaceBody = z.strictObject({
  name: Name(128),
  slug: Slug.optional(),
  description: clearable(Description),
  protected_envs: ProtectedEnvs.optional(),
  capture: clearable(CaptureMode),
  time_zone: clearable(TimeZone),
  budget: clearable(Budget),
})
export const UpdateWorkspaceBody = CreateWorkspaceBody.partial().extend(
  readOnly('id', 'prompt_count', 'agent_count', 'workflow_count', 'created_at', 'updated_at'),
)

const workspaceSorts = ['name', '-name', 'created_at', '-created_at'] as const

export const ListWorkspacesQuery = z.strictObject({ ...paging(workspaceSorts), q: SearchText.optional() })

export const DeletedWorkspace = z.object({
  ok: z.literal(true),
  moved: z.object({
    prompts: z.int(),
    agents: z.int(),
    workflows: z.int(),
    renamed: z.array(z.object({ from: z.string(), to: z.string() })),
  }),
})
export type DeletedWorkspace = z.infer<typeof DeletedWorkspace>

/** Maximum number of deleted workspaces in a reply. */
export const maxDeleted = 500

/** A workspace that was deleted, with its last name. */
export const FormerWorkspace = z.object({
  id: Id,
  name: z.string(),
  slug: z.string(),
  deleted_at: Timestamp,
})
export type FormerWorkspace = z.infer<typeof FormerWorkspace>

const byId = z.object({ id: Id.meta({ description: 'ID or slug' }) })
const tag = 'Workspaces'
const workspaceExample: z.input<typeof Workspace> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b12',
  name: 'Team Blue',
  slug: 'team-blue',
  description: '',
  prompt_count: 14,
  agent_count: 2,
  workflow_count: 0,
  protected_envs: ['prod'],
  capture: null,
  time_zone: 'UTC',
  budget: null,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
}

export const workspaces = {
  list: endpoint({
    tag,
    method: 'GET',
    path: '/api/workspaces',
    workspaces: 'filter',
    summary: 'List workspaces',
    permission: 'workspaces.read',
    query: ListWorkspacesQuery,
    reply: page(Workspace),
    example: { query: 'q=blue', reply: { data: [workspaceExample], total: 1, next_cursor: null } },
  }),
  deleted: endpoint({
    tag,
    method: 'GET',
    path: '/api/deleted-workspaces',
    workspaces: 'filter',
    summary: 'List deleted workspaces with their last names, newest first',
    description: `Runs, statistics and audit entries keep the IDs of deleted workspaces. The names are those in the audit log; the reply has the latest ${maxDeleted}.`,
    permission: 'workspaces.read',
    reply: z.object({ data: z.array(FormerWorkspace).max(maxDeleted) }),
    example: {
      reply: {
        data: [
          {
            id: workspaceExample.id,
            name: 'Team Blue',
            slug: 'team-blue',
            deleted_at: '2026-11-21T09:30:00.000Z',
          },
        ],
      },
    },
  }),
  create: endpoint({
    tag,
    method: 'POST',
    path: '/api/workspaces',
    workspaces: 'all',
    summary: 'Create a workspace',
    description:
      'Without `slug`, one is derived from the name; if it is taken, it gets the suffix `-2`, `-3` and so on. A former slug of a workspace still refers to it and remains taken. Only admins can reuse the slug of a deleted workspace.',
    permission: 'workspaces.create',
    idempotent: true,
    body: CreateWorkspaceBody,
    reply: item(Workspace),
    status: 201,
    problems: ['workspace.slug_taken', 'idempotency.mismatch', 'store.full'],
    example: {
      body: { name: 'Team Blue' },
      reply: { data: { ...workspaceExample, prompt_count: 0, agent_count: 0 } },
    },
  }),
  get: endpoint({
    tag,
    method: 'GET',
    path: '/api/workspaces/:id',
    workspaces: 'item',
    summary: 'Get a workspace',
    permission: 'workspaces.read',
    params: byId,
    reply: item(Workspace),
    problems: ['not_found'],
    example: { reply: { data: workspaceExample } },
  }),
  update: endpoint({
    tag,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/workspaces/:id',
    workspaces: 'item',
    summary: 'Update a workspace',
    description:
      'Only admins can change `protected_envs`, `capture`, `time_zone`, `budget`, and the slug of a workspace with protected environments. A former slug still refers to the workspace.',
    permission: 'workspaces.edit',
    idempotent: true,
    params: byId,
    body: UpdateWorkspaceBody,
    reply: item(Workspace),
    problems: ['not_found', 'workspace.slug_taken', 'workspace.default_protected'],
    example: { body: { description: 'Prompts of team Blue' }, reply: { data: workspaceExample } },
  }),
  remove: endpoint({
    tag,
    method: 'DELETE',
    path: '/api/workspaces/:id',
    workspaces: 'item',
    summary: 'Delete a workspace and move its contents to `default`',
    description:
      'API tokens that are limited to it are revoked. Its slugs then return 404 until an admin assigns one to another workspace. An item whose key is taken in `default` gets another one, which agents and workflows follow with a new version. A prompt whose key is taken while other prompts include it is 409.',
    permission: 'workspaces.delete',
    idempotent: true,
    params: byId,
    reply: DeletedWorkspace,
    problems: ['not_found', 'workspace.default_protected', 'prompt.included'],
    example: {
      reply: {
        ok: true,
        moved: { prompts: 14, agents: 2, workflows: 0, renamed: [{ from: 'greet', to: 'greet-team-blue' }] },
      },
    },
  }),
}
