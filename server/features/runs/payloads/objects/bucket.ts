import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { dayName, dayOfName } from './day-name.ts'
import type { ObjectStore } from './object-store.ts'

/** Maximum number of keys of a request to list or delete objects. */
const keysPerRequest = 1000
/** Time limits of one attempt and of all with the body, in milliseconds. Requests that store or read a run wait. */
const defaultLimits = { attemptMs: 10_000, totalMs: 30_000 }
const connectionTimeout = 3000
const maxAttempts = 3

type Bucket = {
  readonly client: S3Client
  readonly name: string
  readonly prefix: string
  readonly limited: () => { readonly abortSignal: AbortSignal }
}

/**
 * Opens a bucket: `s3://<bucket>/<prefix>?region=<region>&endpoint=<url>`. `endpoint` is the address of an S3-compatible
 * service other than AWS; the bucket is then in the path. Credentials come from the environment, as for every AWS client.
 */
export function openBucket(url: string, { attemptMs, totalMs } = defaultLimits): ObjectStore {
  const { hostname, pathname, searchParams } = new URL(url)
  const endpoint = searchParams.get('endpoint')
  const region = searchParams.get('region')
  const client = new S3Client({
    maxAttempts,
    // Without `throwOnRequestTimeout` the limit is only a warning.
    requestHandler: { connectionTimeout, requestTimeout: attemptMs, throwOnRequestTimeout: true },
    // Some S3-compatible services do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(region !== null && { region }),
    ...(endpoint !== null && { endpoint, forcePathStyle: true, region: region ?? 'us-east-1' }),
  })
  const path = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '')
  const limited = () => ({ abortSignal: AbortSignal.timeout(totalMs) })
  const bucket = { client, name: hostname, prefix: path === '' ? '' : `${path}/`, limited }
  return {
    async put(day, name, bytes) {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket.name,
          Key: `${folderOf(bucket, day)}${name}`,
          Body: bytes,
          ContentType: 'application/x-ndjson',
        }),
        limited(),
      )
    },
    read: (day, name, start, length) =>
      readRange(bucket, `${folderOf(bucket, day)}${name}`, { start, length }),
    days: () => listDays(bucket),
    removeDay: (day) => removeUnder(bucket, folderOf(bucket, day)),
    close: () => client.destroy(),
  }
}

const folderOf = ({ prefix }: Bucket, day: number): string => `${prefix}${dayName(day)}/`

async function readRange(
  { client, name, limited }: Bucket,
  key: string,
  { start, length }: { readonly start: number; readonly length: number },
): Promise<string | null> {
  try {
    const range = `bytes=${start}-${start + length - 1}`
    const command = new GetObjectCommand({ Bucket: name, Key: key, Range: range })
    const { Body } = await client.send(command, limited())
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
    return bytes.length === length ? Buffer.from(bytes).toString('utf8') : null
  } catch (error) {
    // The object was removed, or is shorter. A missing bucket proves neither.
    if (error instanceof S3ServiceException && ['NoSuchKey', 'InvalidRange'].includes(error.name)) return null
    throw error
  }
}

async function listDays({ client, name, prefix, limited }: Bucket): Promise<number[]> {
  const days: number[] = []
  let token: string | undefined
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: name, Prefix: prefix, Delimiter: '/', ContinuationToken: token }),
      limited(),
    )
    for (const { Prefix = '' } of page.CommonPrefixes ?? []) {
      const day = dayOfName(Prefix.slice(prefix.length, -1))
      if (day !== null) days.push(day)
    }
    token = page.NextContinuationToken
  } while (token !== undefined)
  return days
}

async function removeUnder({ client, name, limited }: Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: name, Prefix: prefix, MaxKeys: keysPerRequest }),
      limited(),
    )
    if (Contents.length === 0) return
    const Objects = Contents.map(({ Key }) => ({ Key }))
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: true } }),
      limited(),
    )
    const [failed] = Errors
    if (failed !== undefined) throw new Error(`${failed.Key} could not be removed: ${failed.Message}`)
  }
}
