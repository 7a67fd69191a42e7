import type { Duplex } from 'node:stream'
import { refuseConnection } from '../../http/refuse.ts'
import type { Problem } from '../../lib/fail.ts'

/** Replies to a refused upgrade. */
export const refuseUpgrade = (socket: Duplex, problem: Problem): void =>
  refuseConnection(socket, problem, '/ws')
