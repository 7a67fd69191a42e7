import { environments } from '../../../contract/common/environments.ts'
import { type ClientType, clientTypes } from '../../../contract/live/clients.ts'
import { ClientFrame, everyNamespace } from '../../../contract/live/frames.ts'
import { invalid } from '../../lib/fail.ts'
import { plainText } from '../../lib/text/plain-text.ts'

export type Hello = Extract<ClientFrame, { type: 'hello' }>

/** A client's information about itself, from the URL or its hello. */
export type HelloFields = Omit<Hello, 'type' | 'token'>

export type Identification = {
  readonly clientType: ClientType
  readonly app: string
  readonly namespace: string
  /** An id or a slug as given; null if the client named none. */
  readonly workspace: string | null
  readonly instanceId: string | null
  readonly sdkVersion: string | null
  readonly warnings: readonly string[]
}

const helloQueryKeys = ['client', 'app', 'namespace', 'workspace', 'instance_id', 'sdk_version'] as const

/** Parses the query of the upgrade. Unknown parameters are ignored, like unknown members of a frame. */
export function parseHelloQuery(query: URLSearchParams): HelloFields {
  const frame: Record<string, unknown> = { type: 'hello' }
  for (const key of helloQueryKeys) {
    const value = query.get(key)
    if (value !== null && value !== '') frame[key] = value
  }
  const since = query.get('since_seq')
  if (since !== null) frame['since_seq'] = /^\d{1,15}$/.test(since) ? Number(since) : since
  const parsed = ClientFrame.safeParse(frame)
  if (!parsed.success || parsed.data.type !== 'hello') {
    const issue = parsed.error?.issues[0]
    throw invalid(`query.${issue?.path.join('.') ?? ''}`, issue?.message ?? 'not valid')
  }
  const { type: _, ...helloFields } = parsed.data
  return helloFields
}

/** Combines the fields of the URL with those of the hello, which take precedence. */
export function mergeHello(fromUrl: HelloFields, fromHello: HelloFields): HelloFields {
  const setFields = Object.entries(fromHello).filter(([, value]) => value !== undefined)
  return { ...fromUrl, ...Object.fromEntries(setFields) }
}

/** Completes a client's information with defaults, and warns about unknown values. */
export function identificationOf(fields: HelloFields, userAgent: string): Identification {
  const namespace = plainText(fields.namespace ?? 'prod', 64)
  const isKnownType = fields.client !== undefined && isClientType(fields.client)
  const clientType = isKnownType
    ? (fields.client as ClientType)
    : guessClientType(fields.client ?? '', userAgent)
  const warnings: string[] = []
  if (namespace !== everyNamespace && !environments.some((env) => env === namespace)) {
    warnings.push(
      `The environment "${namespace}" is not one of ${environments.join(', ')}: it has no prompts, so no events will be sent`,
    )
  }
  if (fields.client !== undefined && !isKnownType) {
    warnings.push(
      `The client type "${plainText(fields.client, 32)}" is not one of ${clientTypes.join(', ')}. It is listed as ${clientType}`,
    )
  }
  return {
    clientType,
    app: plainText(fields.app ?? (namespace === everyNamespace ? 'console' : 'unnamed'), 128),
    namespace,
    workspace: fields.workspace === undefined ? null : plainText(fields.workspace, 64),
    instanceId: fields.instance_id === undefined ? null : plainText(fields.instance_id, 128),
    sdkVersion: fields.sdk_version === undefined ? null : plainText(fields.sdk_version, 64),
    warnings,
  }
}

const isClientType = (text: string): text is ClientType => clientTypes.some((type) => type === text)

/** Guesses the type of a client that names none or an unknown one, because the list of types is fixed. */
function guessClientType(name: string, userAgent: string): ClientType {
  const text = `${name} ${userAgent}`.toLowerCase()
  if (/mozilla\/|browser|console/.test(text)) return 'browser'
  if (/python|aiohttp|websockets\//.test(text)) return 'python-sdk'
  if (/\bjava\b|okhttp|tyrus|jetty|kotlin|apache-httpclient/.test(text)) return 'java-sdk'
  return 'node-sdk'
}
