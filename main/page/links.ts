const scheme = 'promptdeck'
const overviewPath = '/'

/** Pages of the console without rows that have an address. */
const pages = new Set(['devices', 'playground', 'profile', 'providers', 'settings', 'statistics', 'tokens'])
/** Pages that list rows: a link may name one. */
const lists = new Set([
  'agents',
  'alert-history',
  'alerts',
  'audit',
  'clients',
  'prompts',
  'runs',
  'sessions',
  'users',
  'views',
  'workflows',
  'workspaces',
])
/** Pages of one row, which a link must name. */
const rows = new Set(['traces', 'workflow-runs'])

/** Matches `promptdeck://runs/123`: a page, an optional row, and a trailing slash that some systems add. */
const linkPattern = /^promptdeck:\/\/(?<page>[a-z-]{1,16})(?:\/(?<row>[A-Za-z0-9][A-Za-z0-9_-]{0,63}))?\/?$/

/**
 * Returns the console path of an external link. Any program or web page can create one, so only known pages
 * and rows are accepted; any other link opens the Overview, which changes nothing.
 */
export function pathOfLink(link: string): string {
  const { page = '', row } = linkPattern.exec(link)?.groups ?? {}
  if (row === undefined) return pages.has(page) || lists.has(page) ? `/${page}` : overviewPath
  return lists.has(page) || rows.has(page) ? `/${page}/${row}` : overviewPath
}

/** The target of an external link: a page of the console, or the connection to a server. */
export type Link =
  | { readonly kind: 'page'; readonly path: string }
  | { readonly kind: 'pair'; readonly link: string }

/** Links are short; a longer one is no link of a server. */
const maxLinkLength = 1_000

export function linkOf(link: string): Link {
  const isPair = /^promptdeck:\/\/pair\/?\?/i.test(link) && link.length <= maxLinkLength
  return isPair ? { kind: 'pair', link } : { kind: 'page', path: pathOfLink(link) }
}

/** Returns the link in the arguments of a start; null if there is none. */
export function linkInArguments(args: readonly string[]): Link | null {
  const link = args.find((arg) => arg.toLowerCase().startsWith(`${scheme}:`))
  return link === undefined ? null : linkOf(link)
}
