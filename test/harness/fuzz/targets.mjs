// @ts-check
import { createSecretKey } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTokens } from '../../../dist/server/auth/tokens/tokens.js'
import { parseSeal } from '../../../dist/server/db/backup-seal.js'
import { fileNames } from '../../../dist/server/db/engines/sqljs/format/folder.js'
import {
  finishRestore,
  newMarker,
  readRestored,
} from '../../../dist/server/db/engines/sqljs/recovery/restore-marker.js'
import { readSidecar } from '../../../dist/server/db/engines/sqljs/snapshot/snapshot.js'
import { headFile, isHeadSigned, readHead } from '../../../dist/server/history/chain/head-file.js'
import { Problem } from '../../../dist/server/lib/fail.js'
import { numberKey, orders, planPage, textKey, writeCursor } from '../../../dist/server/lib/paging.js'
import { createFrameHandler } from '../../../dist/server/live/connections/frame-handler.js'
import { createClaimTarget } from './claims.mjs'
import { createJournalTargets } from './journal.mjs'
import { mutateBytes, mutateJsonText } from './mutate.mjs'

/** @typedef {(random: () => number) => string | null | Promise<string | null>} Target Tries one input. Returns what went wrong. */

const quiet = { info() {}, warn() {}, error() {}, debug() {} }
const key = createSecretKey(Buffer.alloc(32, 7))

/** @param {string} text */
const isSidecarValid = (text) => {
  const { file, bytes, sha256, transaction, schema, made_at } = JSON.parse(text)
  return [
    typeof file === 'string',
    Number.isSafeInteger(bytes),
    typeof sha256 === 'string',
    Number.isSafeInteger(transaction),
    Number.isSafeInteger(schema),
    typeof made_at === 'string',
  ].every(Boolean)
}

const now = new Date('2026-11-22T10:00:00Z')

const sidecar = {
  file: 'snapshot-1.db',
  bytes: 8192,
  sha256: 'a'.repeat(64),
  crc32: 77,
  transaction: 4,
  schema: 8,
  made_at: now.toISOString(),
}
const head = {
  id: 4,
  hash: 'h'.repeat(43),
  live_seq: 9,
  key_id: 'k',
  written_at: now.toISOString(),
  finding: null,
  mac: 'f'.repeat(64),
}
const seal = { created_at: now.getTime(), size_bytes: 8192, sha256: 'b'.repeat(64), sequence: 3 }
const frames = [
  {
    type: 'hello',
    token: 't',
    client: 'node-sdk',
    app: 'a',
    namespace: 'prod',
    workspace: 'default',
    since_seq: 7,
    instance_id: 'i',
    sdk_version: '1',
    keys: ['a', 'b/c'],
  },
  { type: 'ack', seq: 7, key: 'a', version: 'v1' },
  { type: 'subscribe', keys: ['a', 'é'] },
  { type: 'ping' },
]

/**
 * Creates targets for all decoders of stored and received data.
 * @param {string} folder @returns {Promise<Record<string, Target>>}
 */
export async function createTargets(folder) {
  return {
    ...createJournalTargets(folder),
    ...createFileTargets(folder),
    frames: tryFrame,
    tokens: createTokenTarget(),
    cursors: createCursorTarget(),
    'owner claims': await createClaimTarget(folder),
  }
}

/** @param {string} folder @returns {Record<string, Target>} */
function createFileTargets(folder) {
  const sidecarFile = join(folder, fileNames.sidecar(1))
  const restore = join(folder, 'restore')
  mkdirSync(restore, { recursive: true })
  return {
    sidecar(random) {
      writeFileSync(sidecarFile, mutateJsonText(random, sidecar), 'latin1')
      const found = readSidecar(folder, 1)
      return found === undefined || isSidecarValid(JSON.stringify(found) ?? 'null')
        ? null
        : `accepted ${readFileSync(sidecarFile, 'latin1').slice(0, 200)}`
    },
    'restore file': (random) => tryRestoreFile(random, restore),
    'backup seals'(random) {
      const found = parseSeal(mutateJsonText(random, seal))
      return found === null || (Number.isSafeInteger(found.size_bytes) && typeof found.sha256 === 'string')
        ? null
        : 'accepted an unsound seal'
    },
    async 'audit head'(random) {
      writeFileSync(headFile(folder), mutateJsonText(random, head), 'latin1')
      const state = await readHead(folder)
      return state.kind !== 'read' || !isHeadSigned(key, state.record)
        ? null
        : 'a changed head counts as signed'
    },
  }
}

/** @param {() => number} random @param {string} folder */
function tryRestoreFile(random, folder) {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
  const marker = newMarker('backup.sqlite', 5, now)
  const text = mutateJsonText(random, { ...marker, state: random() < 0.5 ? 'done' : 'placing' })
  writeFileSync(join(folder, fileNames.restore), text, 'latin1')
  try {
    finishRestore(folder, quiet)
    const found = readRestored(folder)
    return found === null || (typeof found.file === 'string' && typeof found.at === 'string')
      ? null
      : `accepted ${text.slice(0, 200)}`
  } catch (error) {
    return error instanceof Error && error.name === 'StoreError'
      ? null
      : `threw ${error} for ${text.slice(0, 200)}`
  }
}

/** @type {Target} */
async function tryFrame(random) {
  /** @type {any} */
  const connection = {
    isClosing: false,
    session: null,
    tokenBucket: { take: () => true },
    frameQueue: Promise.resolve(),
  }
  let wrong = null
  const read = createFrameHandler({
    connections: { close: () => undefined },
    clock: { now: () => now },
    onHello: async (_connection, { type, keys = [] }) => {
      if (type !== 'hello' || keys.some((name) => typeof name !== 'string' || name.length > 200))
        wrong = 'an unsound hello'
    },
    onReport: () => undefined,
    onError: (_connection, error) => {
      wrong = `threw ${error}`
    },
  })
  const text = mutateJsonText(random, frames[Math.floor(random() * frames.length)])
  read(connection, Buffer.from(text, 'latin1'), random() < 0.05)
  await connection.frameQueue
  return wrong === null ? null : `${wrong}: ${text.slice(0, 200)}`
}

/** @returns {Target} */
function createTokenTarget() {
  const tokens = createTokens({ key, maxCached: 10 })
  const token = tokens.issue({
    id: 's1',
    userId: 'u1',
    createdAtMs: now.getTime(),
    expiresAtMs: now.getTime() + 3_600_000,
  })
  return (random) => {
    const text = mutateBytes(random, Buffer.from(token)).toString('latin1')
    return text === token || tokens.verify(text, now) === null ? null : `accepted ${text}`
  }
}

/** @returns {Target} */
function createCursorTarget() {
  const order = orders({ key: [textKey('p.key'), numberKey('p.id')] })('key')
  const plan = planPage({ limit: 50, env: 'prod' }, order)
  const cursor = JSON.parse(Buffer.from(writeCursor(plan, ['billing/refund', 7]), 'base64url').toString())
  return (random) => {
    const text = Buffer.from(mutateJsonText(random, cursor), 'latin1').toString('base64url')
    try {
      const { after } = planPage(
        { limit: 50, env: 'prod', cursor: random() < 0.9 ? text : text.slice(3) },
        order,
      )
      return after?.length === 2 && typeof after[0] === 'string' && typeof after[1] === 'number'
        ? null
        : `accepted ${text}`
    } catch (error) {
      return error instanceof Problem && error.status === 422 ? null : `threw ${error}`
    }
  }
}
