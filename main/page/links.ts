const scheme = 'promptdeck'
const overviewPath = '/'

/** Pages that a link may open, and whether it may name a row. They match the console's router. */
const pages: Readonly<Record<string, { readonly hasRows: boolean }>> = {
  prompts: { hasRows: true },
  playground: { hasRows: false },
  agents: { hasRows: true },
  workflows: { hasRows: true },
  providers: { hasRows: false },
  runs: { hasRows: true },
  audit: { hasRows: true },
  clients: { hasRows: true },
  users: { hasRows: true },
  workspaces: { hasRows: true },
  settings: { hasRows: false },
  profile: { hasRows: false },
}

/** Matches `promptdeck://runs/123`: a page, an optional row, and a trailing slash that some systems add. */
const linkPattern = /^promptdeck:\/\/(?<page>[a-z]{1,16})(?:\/(?<row>[A-Za-z0-9][A-Za-z0-9_-]{0,63}))?\/?$/

/**
 * Returns the console path of an external link. Any program or web page can create one, so only known pages
 * and rows are accepted; any other link opens the Overview, which changes nothing.
 */
export function pathOfLink(link: string): string {
  const { page = '', row } = linkPattern.exec(link)?.groups ?? {}
  const knownPage = Object.hasOwn(pages, page) ? pages[page] : undefined
  if (knownPage === undefined || (row !== undefined && !knownPage.hasRows)) return overviewPath
  return row === undefined ? `/${page}` : `/${page}/${row}`
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
