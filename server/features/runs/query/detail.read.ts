import type { RunDetail } from '../../../../contract/runs/run.ts'
import { type ContentState, contentStates } from '../../../../contract/runs/run-content.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Db } from '../../../db/types.ts'
import { runOwner } from '../payloads/capture.ts'
import type { Payloads } from '../payloads/payload-files.ts'
import type { Payload } from '../payloads/payload-line.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { allNameIdsOf, detailToWire } from '../store/runs.wire.ts'

type Deps = { readonly db: Db; readonly names: NameDictionary; readonly payloads: Payloads }

/** Returns a run with its names and its captured content. */
export async function readDetail({ db, names, payloads }: Deps, row: RunsTable): Promise<RunDetail> {
  const place = placeOf(row)
  const payload = place === null ? null : await payloads.read(place, [runOwner(row.id)])
  const nameOf = await names.loadTexts(db.read, allNameIdsOf(row))
  const content = { input: payload?.input ?? null, output: payload?.output ?? null }
  return detailToWire(
    row,
    { ...content, content_state: await contentStateOf(payloads, row, payload) },
    nameOf,
  )
}

/** Returns whether the content of a run is captured, or the reason why not. */
async function contentStateOf(
  payloads: Payloads,
  row: RunsTable,
  payload: Payload | null,
): Promise<ContentState> {
  if (payload !== null) return 'captured'
  const place = placeOf(row)
  if (place === null) return contentStates[row.payload_state ?? -1] ?? 'unknown'
  return (await payloads.ends()).some(({ day }) => day === place.day) ? 'damaged' : 'removed'
}

/** Returns the location of a captured payload; null if nothing was captured. */
function placeOf({ payload_day: day, payload_offset: offset, payload_length: length }: RunsTable) {
  return day === null || offset === null || length === null ? null : { day, offset, length }
}
