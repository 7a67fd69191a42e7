import type { Duplex } from 'node:stream'
import { refuseConnection } from '../http/refuse.ts'
import type { Problem } from '../lib/fail.ts'

/** Answers an upgrade that is refused. */
export const refuseUpgrade = (socket: Duplex, problem: Problem): void =>
  refuseConnection(socket, problem, '/ws')
