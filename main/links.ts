const scheme = 'promptdeck'
const overview = '/'

/** Pages a link may open, and whether a row of theirs may be named. The console's router is where they come from. */
const pages: Readonly<Record<string, { readonly hasRows: boolean }>> = {
  runs: { hasRows: true },
  audit: { hasRows: true },
  clients: { hasRows: true },
  users: { hasRows: true },
  workspaces: { hasRows: true },
  settings: { hasRows: false },
  profile: { hasRows: false },
}

/** `promptdeck://runs/123`: a page, perhaps a row, perhaps the slash that some systems add. */
const shape = /^promptdeck:\/\/(?<page>[a-z]{1,16})(?:\/(?<row>[A-Za-z0-9][A-Za-z0-9_-]{0,63}))?\/?$/

/**
 * The console's path for a link from outside, which any program and any web page may have made. Only pages and rows by
 * name; whatever else it says opens the Overview, which shows and changes nothing by itself.
 */
export function pathOfLink(link: string): string {
  const { page = '', row } = shape.exec(link)?.groups ?? {}
  const found = Object.hasOwn(pages, page) ? pages[page] : undefined
  if (found === undefined || (row !== undefined && !found.hasRows)) return overview
  return row === undefined ? `/${page}` : `/${page}/${row}`
}

/** The path of the link that a start was given by the system; null when it was an ordinary start. */
export function pathInArguments(args: readonly string[]): string | null {
  const link = args.find((arg) => arg.toLowerCase().startsWith(`${scheme}:`))
  return link === undefined ? null : pathOfLink(link)
}
