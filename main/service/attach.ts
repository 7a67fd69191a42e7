const flag = '--attach='
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Returns the URL of a running service, passed by `npm start`, or null. Only addresses of this machine are
 * accepted.
 */
export function attachUrl(args: readonly string[]): string | null {
  const text = args.find((arg) => arg.startsWith(flag))?.slice(flag.length)
  return text === undefined ? null : localUrl(text)
}

/** Returns the origin of an http URL on this machine; null for anything else. */
export function localUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  return url.protocol === 'http:' && loopback.has(url.hostname) ? url.origin : null
}
