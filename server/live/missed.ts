import { everyNamespace } from '../../contract/live.ts'
import type { Replay } from '../history/replay.ts'
import type { Broadcast } from './broadcast.ts'
import type { Missed } from './outbox.ts'

type Sources = { readonly replay: Replay; readonly broadcast: Pick<Broadcast, 'passing'> }

/** Reads the frames of an environment after number `since`, for a client that reconnects. */
export async function framesMissed(
  { replay, broadcast }: Sources,
  namespace: string,
  since: number,
): Promise<Missed> {
  if (namespace !== everyNamespace) return replay.missed(since, namespace)
  const missed = await replay.missed(since, null)
  // Changes of runs and clients have no numbered frames, so a console fetches both again.
  return missed.kind === 'frames'
    ? { ...missed, frames: [...missed.frames, broadcast.passing('run'), broadcast.passing('client')] }
    : missed
}
