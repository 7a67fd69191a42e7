import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { fail } from '../lib/fail.ts'
import { plainText } from '../lib/text/plain-text.ts'

/** The content of a session id. */
export type Session = { readonly id: string; readonly client: string }

const maxLengths = { name: 64, version: 32, id: 2048 }

const ClientInfo = z.object({
  params: z.object({ clientInfo: z.object({ name: z.string().min(1), version: z.string() }) }),
})

/** Returns name and version from an `initialize` request; `unknown` if it has none. */
function clientOf(message: unknown): string {
  const parsed = ClientInfo.safeParse(message)
  if (!parsed.success) return 'unknown'
  const { name, version } = parsed.data.params.clientInfo
  return `${plainText(name, maxLengths.name)} ${plainText(version, maxLengths.version)}`.trim()
}

export type Sessions = ReturnType<typeof createSessions>

/**
 * Issues and reads session ids: `<random>.<client>.<HMAC>`. An id is valid for the principal that initialized
 * the session, also after a restart. Nothing is stored, so the number of sessions needs no limit.
 */
export function createSessions(key: KeyObject) {
  const sign = (principal: string, content: string): Buffer =>
    createHmac('sha256', key).update(`${principal}\n${content}`).digest()

  return {
    issue(principal: string, initialize: unknown): Session {
      const client = clientOf(initialize)
      const content = `${randomBytes(12).toString('base64url')}.${Buffer.from(client).toString('base64url')}`
      return { id: `${content}.${sign(principal, content).toString('base64url')}`, client }
    },

    /** Throws 400 without an id, and 404 if it is not one of this principal. */
    read(principal: string, id: string | string[] | undefined): Session {
      if (id === undefined)
        throw fail('request.malformed', {
          detail:
            'The header Mcp-Session-Id is missing. Send `initialize` first, and send its session ID with each request.',
        })
      const [, content = '', client = '', mac = ''] =
        /^([\w-]+\.([\w-]+))\.([\w-]{43})$/.exec(String(id).slice(0, maxLengths.id)) ?? []
      const given = Buffer.from(mac, 'base64url')
      const expected = sign(principal, content)
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw fail('not_found', { detail: 'Session not found. Send `initialize` again.' })
      return { id: String(id), client: Buffer.from(client, 'base64url').toString() }
    },
  }
}
