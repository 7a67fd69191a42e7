import type { SecondFactorTables } from '../../../db/schema/second-factors.ts'
import type { Query } from '../../../db/types.ts'
import { recoveryCodeHash } from './recovery-codes.ts'

type SecondFactorRow = SecondFactorTables['second_factors']

export function findSecondFactor(q: Query, userId: string): Promise<SecondFactorRow | undefined> {
  return q.selectFrom('second_factors').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

export async function insertSecondFactor(q: Query, row: SecondFactorRow): Promise<void> {
  await q.insertInto('second_factors').values(row).execute()
  await q.updateTable('users').set({ second_factor: 1 }).where('id', '=', row.user_id).execute()
}

/** Deletes the secret and the recovery codes. Returns false if there was no secret. */
export async function deleteSecondFactor(q: Query, userId: string): Promise<boolean> {
  const result = await q.deleteFrom('second_factors').where('user_id', '=', userId).executeTakeFirst()
  await q.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await q.updateTable('users').set({ second_factor: 0 }).where('id', '=', userId).execute()
  return Number(result.numDeletedRows) > 0
}

/** Marks the step of a code as used. Returns false if a code of this or a later step was used before. */
export async function consumeStep(q: Query, userId: string, step: number): Promise<boolean> {
  const result = await q
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

export async function replaceRecoveryCodes(
  q: Query,
  userId: string,
  codes: readonly string[],
): Promise<void> {
  await q.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const rows = codes.map((code) => ({ user_id: userId, hash: recoveryCodeHash(userId, code) }))
  await q.insertInto('recovery_codes').values(rows).execute()
}

export async function hasRecoveryCode(q: Query, userId: string, hash: string): Promise<boolean> {
  const row = await q
    .selectFrom('recovery_codes')
    .select('hash')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a recovery code. Returns false if it was used or replaced before. */
export async function consumeRecoveryCode(q: Query, userId: string, hash: string): Promise<boolean> {
  const result = await q
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return Number(result.numDeletedRows) > 0
}

export async function countRecoveryCodes(q: Query, userId: string): Promise<number> {
  const row = await q
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(row?.n ?? 0)
}
