import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Ok, page, paging, Timestamp } from '../common/fields.ts'

export const Backup = z.object({
  id: Id,
  created_at: Timestamp,
  size_bytes: z.int(),
  verified: z.boolean().meta({
    description:
      'The backup was reopened and checked when it was created, and its content still has the SHA-256 recorded then',
  }),
})
export type Backup = z.infer<typeof Backup>

const byId = z.object({ id: Id })
const common = { tag: 'Backups', permission: 'backups.manage', workspaces: 'none' } as const
const backupExample: z.input<typeof Backup> = {
  id: '20261121T093000Z-4f1a',
  created_at: '2026-11-21T09:30:00.000Z',
  size_bytes: 196_608,
  verified: true,
}

export const backups = {
  list: endpoint({
    ...common,
    method: 'GET',
    path: '/api/backups',
    summary: 'List backups',
    query: z.strictObject(paging(['created_at', '-created_at'])),
    reply: page(Backup),
    example: { reply: { data: [backupExample], total: 1, next_cursor: null } },
  }),
  create: endpoint({
    ...common,
    method: 'POST',
    path: '/api/backups',
    summary: 'Create and verify a backup',
    reply: item(Backup),
    status: 201,
    idempotent: true,
    problems: ['idempotency.mismatch', 'store.full', 'backup.unsupported'],
    example: { reply: { data: backupExample } },
  }),
  download: endpoint({
    ...common,
    method: 'GET',
    path: '/api/backups/:id/download',
    summary: 'Download a backup as an SQLite file',
    params: byId,
    reply: z.unknown(),
    replyAs: 'file',
    mediaTypes: ['application/vnd.sqlite3'],
    problems: ['not_found'],
    example: { reply: 'SQLite format 3…' },
  }),
  remove: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/backups/:id',
    summary: 'Delete a backup',
    params: byId,
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
}
