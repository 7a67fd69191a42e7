import { everyNamespace } from '../../contract/live.ts'
import type { Replay } from '../history/replay.ts'
import type { Broadcast } from './broadcast.ts'
import type { MissedFrames } from './send-queue.ts'

type Sources = { readonly replay: Replay; readonly broadcast: Pick<Broadcast, 'transientFrame'> }

/** Reads the frames of an environment after number `since`, for a client that reconnects. */
export async function readMissedFrames(
  { replay, broadcast }: Sources,
  namespace: string,
  since: number,
): Promise<MissedFrames> {
  if (namespace !== everyNamespace) return replay.missed(since, namespace)
  const missed = await replay.missed(since, null)
  // Changes of runs and clients have no numbered frames, so a console fetches both again.
  return missed.kind === 'frames'
    ? {
        ...missed,
        frames: [...missed.frames, broadcast.transientFrame('run'), broadcast.transientFrame('client')],
      }
    : missed
}
