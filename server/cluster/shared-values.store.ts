import { type Params, prepareChange, prepareQuery } from '../db/prepared.ts'

/** The name of a value within its kind. */
export type ValueKey = { scope: string; name: string }

export const findValue = prepareQuery((q, p: Params<ValueKey>) =>
  q
    .selectFrom('shared_values')
    .select(['value', 'expires_at'])
    .where('scope', '=', p('scope'))
    .where('name', '=', p('name')),
)
export const putValue = prepareChange((q, p: Params<ValueKey & { value: string; expiresAt: number }>) =>
  q
    .insertInto('shared_values')
    .values({ scope: p('scope'), name: p('name'), value: p('value'), expires_at: p('expiresAt') })
    .onConflict((conflict) =>
      conflict.columns(['scope', 'name']).doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    ),
)
export const removeValue = prepareChange((q, p: Params<ValueKey>) =>
  q.deleteFrom('shared_values').where('scope', '=', p('scope')).where('name', '=', p('name')),
)
export const removeExpiredValues = prepareChange((q, p: Params<{ now: number }>) =>
  q.deleteFrom('shared_values').where('expires_at', '<=', p('now')),
)

/** Returns the values of a kind beyond the newest `max`. */
export const surplusValues = prepareQuery((q, p: Params<{ scope: string; max: number }>) =>
  q
    .selectFrom('shared_values')
    .select('name')
    .where('scope', '=', p('scope'))
    .orderBy('expires_at', 'desc')
    .limit(100)
    .offset(p('max')),
)
/** Returns the values of a kind that have not expired. */
export const valuesOf = prepareQuery((q, p: Params<{ scope: string; now: number }>) =>
  q
    .selectFrom('shared_values')
    .select(['name', 'value'])
    .where('scope', '=', p('scope'))
    .where('expires_at', '>', p('now')),
)
