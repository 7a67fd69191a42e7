import { everyNamespace } from '../../../contract/live/frames.ts'
import type { Replay } from '../../history/events/replay.ts'
import type { MissedFrames } from '../frames/send-queue.ts'
import type { Broadcast } from './broadcast.ts'

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
