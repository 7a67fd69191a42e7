import { z } from 'zod'
import { jsonOf, reasonIn } from '../command/connection/reply.ts'
import { readText, send } from '../command/connection/send.ts'
import { printable } from '../command/io/failure.ts'
import { failureAt, type ServerFailure, serverFailure } from './server-failure.ts'

type Server = { readonly origin: string; readonly ca: string }

export type Exchange = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

const maxReplyBytes = 64 * 1024

/** Sends a request to a server and returns its reply, which has the given form. Throws a `ServerFailure`. */
export async function exchange<T>(server: Server, request: Exchange, form: z.ZodType<T>): Promise<T> {
  const { body, ...rest } = request
  const { status, text } = await read(server, {
    ...rest,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const reply = form.safeParse(jsonOf(text))
  if (status >= 200 && status < 300 && reply.success) return reply.data
  throw refusalOf(server, status, text)
}

async function read({ origin, ca }: Server, request: Omit<Exchange, 'body'> & { readonly body?: string }) {
  try {
    const reply = await send({ origin, ca, ...request })
    return { status: reply.statusCode ?? 0, text: await readText(reply, maxReplyBytes) }
  } catch (error) {
    throw failureAt(origin, error)
  }
}

const Problem = z.object({
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})

function refusalOf({ origin }: Server, status: number, text: string): ServerFailure {
  const { data: problem } = Problem.safeParse(jsonOf(text))
  const { host } = new URL(origin)
  const reason = reasonIn(status, text)
  if (problem === undefined)
    return serverFailure('other', `${host} did not answer like a Promptdeck service.`, 'Check the address.')
  const { code, errors = [] } = problem
  if (code === 'auth.invalid_token' || code === 'auth.device_required')
    return serverFailure(
      'revoked',
      `${host} does not accept this device any more. It was revoked, or it has expired.`,
      'Ask an admin, then connect to the server again. Forget the server if you do not need it.',
    )
  if (code === 'pairing.wrong_code')
    return serverFailure('code', reason, 'Enter the code that the admin sees now.')
  if (errors.length === 0) return serverFailure('other', reason, 'Try again, or ask an admin.')
  const fields = Object.fromEntries(
    errors.map(({ path, message }) => [path.replace(/^body\./, ''), printable(message)]),
  )
  return serverFailure('fields', 'Some of the input is not valid.', 'Correct the fields below.', fields)
}
