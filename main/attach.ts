const flag = '--attach='
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The address of a service that already runs, as `npm start` gives it. Only this machine's: anything else is refused. */
export function attachUrl(args: readonly string[]): string | null {
  const text = args.find((arg) => arg.startsWith(flag))?.slice(flag.length)
  return text === undefined ? null : localUrl(text)
}

/** The origin of an http address on this machine; null for anything else. */
export function localUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  return url.protocol === 'http:' && loopback.has(url.hostname) ? url.origin : null
}
