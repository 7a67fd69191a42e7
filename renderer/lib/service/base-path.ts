/**
 * The path under which a proxy publishes this page, such as `/promptdeck`. Empty at the root, and where the page
 * was opened without the proxy.
 */
export const basePath: string = currentBasePath()

/** Address of the service that this page was loaded from, without a slash at the end. */
export const serviceUrl: string = `${location.origin}${basePath}`

function currentBasePath(): string {
  const path = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? ''
  return `${location.pathname}/`.startsWith(`${path}/`) ? path : ''
}
