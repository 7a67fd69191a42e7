import { everyNamespace } from '../../../contract/live/frames.ts'
import type { Replay } from '../../history/events/replay.ts'
import { addressedOf } from '../frames/audience.ts'
import type { MissedFrames } from '../frames/send-queue.ts'
import type { Broadcast } from './broadcast.ts'

type Sources = { readonly replay: Replay; readonly broadcast: Pick<Broadcast, 'transientFrame'> }

/** Reads the frames of an environment after number `since`, for a client that reconnects. */
export async function readMissedFrames(
  { replay, broadcast }: Sources,
  namespace: string,
  since: number,
): Promise<MissedFrames> {
  const missed = await readStored(replay, namespace === everyNamespace ? null : namespace, since)
  if (namespace !== everyNamespace) return missed
  // Changes of runs and clients have no numbered frames, so a console fetches both again.
  return missed.kind === 'frames'
    ? {
        ...missed,
        frames: [
          ...missed.frames,
          broadcast.transientFrame('run', null),
          broadcast.transientFrame('client', null),
        ],
      }
    : missed
}

async function readStored(replay: Replay, namespace: string | null, since: number): Promise<MissedFrames> {
  const missed = await replay.missed(since, namespace)
  return missed.kind === 'frames' ? { ...missed, frames: missed.frames.map(addressedOf) } : missed
}
