/** Number of ids in one statement. SQLite allows 32,766 values. */
const idsPerStatement = 500

/** Calls `read` with chunks of the ids that each fit into one statement. Returns all rows in order. */
export async function readByIds<Id, Row>(
  ids: readonly Id[],
  read: (chunk: readonly Id[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let from = 0; from < ids.length; from += idsPerStatement)
    rows.push(...(await read(ids.slice(from, from + idsPerStatement))))
  return rows
}
