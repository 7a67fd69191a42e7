import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Plan } from './plan.ts'
import type { Answer, ParsedRequest, Wire } from './wire.ts'

/** Writes and waits for the reader, so that the reply does not accumulate in memory. */
function write(res: ServerResponse, text: string): Promise<void> {
  if (res.destroyed || res.write(text)) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })
}

/** Sends the frames; a fault occurs after the first piece. */
export async function streamed(
  wire: Wire,
  request: ParsedRequest,
  answer: Answer,
  res: ServerResponse,
  plan: Plan,
): Promise<void> {
  const frames = wire.frames(request, answer)
  res.writeHead(200, { 'content-type': wire.streamType, 'cache-control': 'no-cache', ...plan.headers })
  res.flushHeaders()
  if (plan.fault === 'garbled') return void res.end(wire.brokenFrame)
  const [first = '', ...rest] = frames.pieces
  for (const frame of [...frames.head, first]) {
    await write(res, frame)
    await pause(plan.paceMs ?? 0)
  }
  switch (plan.fault) {
    case 'malformed':
      return void res.end(wire.brokenFrame)
    case 'error':
      return void res.end(wire.errorFrame(plan.message ?? 'Overloaded'))
    case 'stall':
      return
    case 'drop':
      return void res.socket?.destroy()
    case 'truncated':
      return void res.end()
    case 'endless': {
      const [page = ''] = wire.frames(request, { ...answer, pieces: ['x'.repeat(64 * 1024)] }).pieces
      while (!res.destroyed) await write(res, page)
      return
    }
    case 'unbroken': {
      const line = 'x'.repeat(64 * 1024)
      while (!res.destroyed) await write(res, line)
      return
    }
    default:
  }
  for (const frame of [...rest, ...frames.tail]) {
    if (res.destroyed) return
    await write(res, frame)
    await pause(plan.paceMs ?? 0)
  }
  res.end()
}
