const text = { schema: { type: 'string' } }

/** The header of replies after which a client may try again. */
export const retryHeaders = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } }

/** Headers of a 429. The last two are on every reply that counts against the quota of a caller. */
export const rateHeaders = {
  ...retryHeaders,
  RateLimit: { description: 'Remaining requests, and seconds until the quota resets', ...text },
  'RateLimit-Policy': { description: 'Quota, and its window in seconds', ...text },
}

export const sizeText = (bytes: number): string =>
  bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`
