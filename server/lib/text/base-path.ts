/** The path under which a proxy publishes the service, such as `/promptdeck`; empty for the root. */
export type BasePath = string

/** Segments of characters that need no encoding, so that the path can be written into pages as it is. */
export const basePathPattern = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/

/**
 * Returns a request target without the base path. A target outside of it is returned unchanged, because some
 * proxies remove the path, and programs on this machine need no proxy.
 */
export function withoutBasePath(target: string, basePath: BasePath): string {
  if (basePath === '' || !target.startsWith(basePath)) return target
  const rest = target.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : target
}
