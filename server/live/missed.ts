import { everyNamespace } from '../../contract/live.ts'
import type { Replay } from '../history/replay.ts'
import type { Broadcast } from './broadcast.ts'
import type { Missed } from './outbox.ts'

type Sources = { readonly replay: Replay; readonly broadcast: Pick<Broadcast, 'passing'> }

/** Reads the frames of a namespace after number `since`, for a client that was away. */
export async function framesMissed(
  { replay, broadcast }: Sources,
  namespace: string,
  since: number,
): Promise<Missed> {
  if (namespace !== everyNamespace) return replay.missed(since, namespace)
  const missed = await replay.missed(since, null)
  // Runs and clients leave no numbered frame: a console that was away fetches them again.
  return missed.kind === 'frames'
    ? { ...missed, frames: [...missed.frames, broadcast.passing('run'), broadcast.passing('client')] }
    : missed
}
