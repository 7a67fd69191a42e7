import { createServer } from 'node:http'
import { listen } from '../../support/http/loopback.ts'

type Reply = { readonly status?: number; readonly body?: string | Buffer }
type Fault = Reply | 'silent' | 'stalls' | 'breaks'

export type Bucket = {
  /** The objects by their keys. */
  readonly objects: ReadonlyMap<string, Buffer>
  /** Returns the value of `PAYLOADS_URL` for a prefix, percent-encoded. */
  url(prefix: string): string
  /** Makes every request fail; null ends this. */
  fail(fault: Fault | null): void
  /** Ends the service: from then on, connections are refused. */
  close(): Promise<void>
}

/** An S3 service in memory: the requests of the service, with pages of two keys, so that lists continue. */
export async function startBucket(): Promise<Bucket> {
  const objects = new Map<string, Buffer>()
  let fault: Fault | null = null
  const read = (key: string, range: string): Reply => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(range) ?? []
    const body = objects.get(key)?.subarray(Number(from), Number(to) + 1)
    return body === undefined
      ? { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
      : { status: 206, body }
  }
  const replyTo = (method: string, url: URL, body: Buffer, range: string): Reply => {
    const key = decodeURIComponent(url.pathname).replace(/^\/deck\/?/, '')
    if (method === 'GET')
      return key === '' ? { body: listOf([...objects.keys()].sort(), url.searchParams) } : read(key, range)
    if (method === 'PUT') objects.set(key, body)
    else for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]*)</g)) objects.delete(name)
    return { body: method === 'PUT' ? '' : '<DeleteResult></DeleteResult>' }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const isSigned = headers.authorization?.startsWith('AWS4-HMAC-SHA256') === true
    const given = new URL(url, 'http://localhost')
    if (fault === 'silent') return
    if (fault === 'stalls' || fault === 'breaks') {
      response.writeHead(206, { 'content-length': 100 }).write('{')
      if (fault === 'breaks') setImmediate(() => response.destroy())
      return
    }
    const answer = () => replyTo(method, given, Buffer.concat(chunks), headers.range ?? '')
    const reply = fault ?? (isSigned ? answer() : { status: 403 })
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/xml' }).end(reply.body)
  })
  const { url, close } = await listen(server)
  return {
    objects,
    url: (path) => `s3://deck/${path}?endpoint=${url}`,
    fail: (next) => {
      fault = next
    },
    close,
  }
}

function listOf(keys: readonly string[], query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const under = keys.filter((key) => key.startsWith(prefix))
  const folders = query.has('delimiter')
    ? [...new Set(under.map((key) => `${prefix}${key.slice(prefix.length).split('/')[0]}/`))]
    : under
  const waiting = folders.filter((name) => name > after)
  const page = waiting.slice(0, 2)
  const entries = page.map((name) =>
    query.has('delimiter')
      ? `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${name}</Key></Contents>`,
  )
  const next =
    waiting.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  return `<ListBucketResult>${entries.join('')}${next}</ListBucketResult>`
}
