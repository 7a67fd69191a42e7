import type { Duplex } from 'node:stream'
import { rejectConnection } from '../../http/reject.ts'
import type { Problem } from '../../lib/fail.ts'

/** Replies to a refused upgrade. */
export const rejectUpgrade = (socket: Duplex, problem: Problem): void =>
  rejectConnection(socket, problem, '/ws')
