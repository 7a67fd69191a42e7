import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import {
  anyOf,
  ExportFormat,
  Id,
  item,
  KeyText,
  page,
  paging,
  queryInt,
  queryTime,
  SearchText,
  Timestamp,
} from '../common/fields.ts'
import { actorKinds } from '../common/roles.ts'

export const auditActions = [
  'create',
  'update',
  'delete',
  'publish',
  'rollback',
  'promote',
  'role_change',
  'password_change',
  'login',
  'login_failed',
  'logout',
  'disconnect',
  'export',
  'revoke',
  'setting_change',
  'restore',
  'approve',
  'refuse',
  'budget_warning',
] as const
export const AuditAction = z.enum(auditActions)
export type AuditAction = z.infer<typeof AuditAction>

export const auditResources = [
  'prompt',
  'agent',
  'workflow',
  'workspace',
  'user',
  'session',
  'provider',
  'client',
  'run',
  'audit',
  'setting',
  'backup',
  'token',
  'alert',
  'view',
  'network',
  'device',
  'pairing',
  'second_factor',
  'passkey',
  'password_link',
] as const
export const AuditResource = z.enum(auditResources)
export type AuditResource = z.infer<typeof AuditResource>

export const AuditEntry = z.object({
  id: z.int(),
  created_at: Timestamp,
  actor: z.string(),
  actor_id: Id.nullable(),
  actor_kind: z.enum(actorKinds),
  action: AuditAction,
  resource: AuditResource,
  resource_id: z.string().nullable(),
  key: z.string().nullable(),
  workspace_id: z.string().nullable(),
  summary: z.string(),
  ip: z.string().nullable(),
  request_id: z.string().nullable(),
  hash: z.string(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

const Fields = z.record(z.string(), z.unknown()).nullable()
export const AuditDetail = AuditEntry.extend({
  before: Fields.meta({
    description: 'Previous values of the changed fields; long texts as SHA-256 and length',
  }),
  after: Fields,
  prev_hash: z.string(),
})
export type AuditDetail = z.infer<typeof AuditDetail>

const filters = {
  actor: anyOf(z.string().min(1).max(64)),
  action: anyOf(AuditAction),
  resource: anyOf(AuditResource),
  resource_id: anyOf(z.string().min(1).max(64)),
  key: anyOf(KeyText),
  workspace: anyOf(z.string().min(1).max(64)),
  from: queryTime.optional(),
  to: queryTime.optional(),
  q: SearchText.optional(),
}
export const auditSorts = ['created_at', '-created_at'] as const
export const ListAuditQuery = z.strictObject({ ...paging(auditSorts), ...filters })
export const ExportAuditQuery = z.strictObject({ format: ExportFormat.default('csv'), ...filters })

const ChainStatus = z.enum(['verified', 'unverifiable', 'broken']).meta({
  description:
    '`unverifiable`: no change was found, but some entries were signed with a key that is missing. `broken`: an entry was changed, removed, added or moved',
})
const UnverifiableBefore = z.int().nullable().meta({
  description: 'Entries before this number cannot be verified; null if all can',
})

export const ChainState = z.object({
  ok: z.boolean().nullable().meta({
    description:
      'True only if every entry was verified. Null until the first verification since the start is complete',
  }),
  status: ChainStatus.nullable(),
  unverifiable_before: UnverifiableBefore,
  verified_at: Timestamp.nullable(),
})
export type ChainState = z.infer<typeof ChainState>

export const ChainReport = z.object({
  ok: z.boolean().meta({ description: 'True only if every entry was verified' }),
  status: ChainStatus,
  entries: z.int(),
  head: z.object({ id: z.int(), hash: z.string() }).nullable(),
  first_broken_id: z.int().nullable(),
  unverifiable_before: UnverifiableBefore,
  reason: z.string().nullable(),
})
export type ChainReport = z.infer<typeof ChainReport>

const entryExample: z.input<typeof AuditEntry> = {
  id: 31,
  created_at: '2026-11-21T09:30:00.000Z',
  actor: 'admin',
  actor_id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
  actor_kind: 'user',
  action: 'role_change',
  resource: 'user',
  resource_id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b12',
  key: 'edda',
  workspace_id: null,
  summary: 'Changed the role of edda from viewer to editor',
  ip: '127.0.0.1',
  request_id: 'req_01',
  hash: '9f2c…',
}
const tag = 'Audit'

export const audit = {
  list: endpoint({
    tag,
    method: 'GET',
    path: '/api/audit',
    workspaces: 'filter',
    summary: 'List audit entries, newest first',
    permission: 'audit.read',
    query: ListAuditQuery,
    reply: page(AuditEntry).extend({ chain: ChainState }),
    example: {
      query: 'action=role_change&actor=admin',
      reply: {
        data: [entryExample],
        total: 1,
        next_cursor: null,
        chain: {
          ok: true,
          status: 'verified',
          unverifiable_before: null,
          verified_at: '2026-11-21T09:28:00.000Z',
        },
      },
    },
  }),
  export: endpoint({
    tag,
    method: 'GET',
    path: '/api/audit/export',
    workspaces: 'filter',
    summary: 'Download the audit log as CSV or JSON Lines',
    permission: 'audit.read',
    query: ExportAuditQuery,
    reply: AuditDetail,
    replyAs: 'file',
    mediaTypes: ['text/csv', 'application/x-ndjson'],
    example: {
      query: 'format=csv',
      reply: { ...entryExample, before: { role: 'viewer' }, after: { role: 'editor' }, prev_hash: '51aa…' },
    },
  }),
  verify: endpoint({
    tag,
    method: 'GET',
    path: '/api/audit/verify',
    workspaces: 'none',
    summary: 'Verify the hash chain of the audit log',
    permission: 'audit.verify',
    reply: item(ChainReport),
    example: {
      reply: {
        data: {
          ok: true,
          status: 'verified',
          entries: 31,
          head: { id: 31, hash: '9f2c…' },
          first_broken_id: null,
          unverifiable_before: null,
          reason: null,
        },
      },
    },
  }),
  get: endpoint({
    tag,
    method: 'GET',
    path: '/api/audit/:id',
    workspaces: 'item',
    summary: 'Get an audit entry with previous and new values',
    permission: 'audit.read',
    params: z.object({ id: queryInt(1, Number.MAX_SAFE_INTEGER) }),
    reply: item(AuditDetail),
    problems: ['not_found'],
    example: {
      reply: {
        data: { ...entryExample, before: { role: 'viewer' }, after: { role: 'editor' }, prev_hash: '51aa…' },
      },
    },
  }),
}
