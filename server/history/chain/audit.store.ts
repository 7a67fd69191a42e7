import { type Params, prepareChange, prepareQuery } from '../../db/prepared.ts'
import type { AuditTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'

const newest = prepareQuery((q) =>
  q.selectFrom('audit').select(['id', 'hash', 'created_at']).orderBy('id', 'desc').limit(1),
)
export const newestEntry = async (q: Query) => (await newest(q, {}))[0]

const entry = prepareQuery((q, p: Params<{ id: number }>) =>
  q.selectFrom('audit').selectAll().where('id', '=', p('id')),
)
export const entryById = async (q: Query, id: number): Promise<AuditTable | undefined> =>
  (await entry(q, { id }))[0]

const anyUser = prepareQuery((q) => q.selectFrom('users').select('id').limit(1))
export const hasUsers = async (q: Query): Promise<boolean> => (await anyUser(q, {})).length > 0

/** Returns rows ordered by id, from `after` (exclusive) to `upTo` (inclusive). */
export const entriesAfter = prepareQuery((q, p: Params<{ after: number; upTo: number; limit: number }>) =>
  q
    .selectFrom('audit')
    .selectAll()
    .where('id', '>', p('after'))
    .where('id', '<=', p('upTo'))
    .orderBy('id')
    .limit(p('limit')),
)

/** Returns the entries at which the chain restarts, newest first. */
export const restoreEntries = prepareQuery((q) =>
  q
    .selectFrom('audit')
    .selectAll()
    .where('action', '=', 'restore')
    .where('actor_kind', '=', 'system')
    .orderBy('id', 'desc')
    .limit(1000),
)

export const insertEntry = prepareChange((q, p: Params<AuditTable>) =>
  q.insertInto('audit').values({
    id: p('id'),
    created_at: p('created_at'),
    actor: p('actor'),
    actor_id: p('actor_id'),
    actor_kind: p('actor_kind'),
    action: p('action'),
    resource: p('resource'),
    resource_id: p('resource_id'),
    key: p('key'),
    workspace_id: p('workspace_id'),
    summary: p('summary'),
    ip: p('ip'),
    request_id: p('request_id'),
    before: p('before'),
    after: p('after'),
    prev_hash: p('prev_hash'),
    hash: p('hash'),
  }),
)

const term = prepareQuery((q, p: Params<{ word: string }>) =>
  q.selectFrom('audit_terms').select('id').where('word', '=', p('word')),
)
const addTerm = prepareQuery((q, p: Params<{ word: string }>) =>
  q
    .insertInto('audit_terms')
    .values({ word: p('word') })
    .returning('id'),
)
const addPosting = prepareChange((q, p: Params<{ termId: number; auditId: number }>) =>
  q
    .insertInto('audit_postings')
    .values({ term_id: p('termId'), audit_id: p('auditId') })
    // The words of an entry may already exist if somebody removed the end of the log. Writing must continue
    // then.
    .onConflict((conflict) => conflict.doNothing()),
)

/** Makes an entry searchable by these distinct words. */
export async function indexWords(q: Query, auditId: number, words: readonly string[]): Promise<void> {
  for (const word of words) {
    const known = (await term(q, { word }))[0] ?? (await addTerm(q, { word }))[0]
    if (known === undefined) throw new Error(`The word index has no word for audit entry ${auditId}`)
    await addPosting(q, { termId: known.id, auditId })
  }
}
