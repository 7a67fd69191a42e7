/**
 * The path under which a proxy publishes this page, such as `/promptdeck`. Empty at the root, and where the page
 * was opened without the proxy.
 */
export const basePath: string = currentBasePath()

/** Address of the service that this page was loaded from, without a slash at the end. */
export const serviceUrl: string = `${location.origin}${basePath}`

/** Returns the address of a path of the console, for links that the router does not make. */
export const addressOf = (path: string): string => basePath + path

function currentBasePath(): string {
  const path = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? ''
  return `${location.pathname}/`.startsWith(`${path}/`) ? path : ''
}
