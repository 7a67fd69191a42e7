/** The parts of Electron that are restricted here; tests pass substitutes. */
export type LockableSession = {
  setPermissionRequestHandler(
    handler: (
      contents: unknown,
      permission: string,
      callback: (isGranted: boolean) => void,
      details: { requestingUrl?: string },
    ) => void,
  ): void
  setPermissionCheckHandler(
    handler: (contents: unknown, permission: string, requestingOrigin: string) => boolean,
  ): void
  setDevicePermissionHandler(handler: () => boolean): void
}

type Navigation = { preventDefault(): void; readonly url: string }

export type LockableContents = {
  setWindowOpenHandler(handler: (details: { url: string }) => { action: 'deny' }): void
  on(
    event: 'will-navigate' | 'will-redirect' | 'will-frame-navigate',
    listener: (event: Navigation) => void,
  ): unknown
  on(event: 'will-attach-webview', listener: (event: { preventDefault(): void }) => void): unknown
}

/** The only permissions that are granted, and only to the console: copying text, notifications of alerts. */
const grantedPermissions = new Set(['clipboard-sanitized-write', 'notifications'])

/**
 * Returns the service's current origin, or null if there is no service. A restarted service may use another
 * port.
 */
export type Origin = () => string | null

export const isFrom = (url: string | undefined, origin: string | null): boolean =>
  url !== undefined && origin !== null && URL.canParse(url) && new URL(url).origin === origin

/**
 * Denies all permissions, such as camera, location and devices, except `grantedPermissions` to the console.
 */
export function lockSession(session: LockableSession, origin: Origin): void {
  const isGranted = (permission: string, from: string | undefined) =>
    grantedPermissions.has(permission) && isFrom(from, origin())
  session.setPermissionRequestHandler((_contents, permission, callback, { requestingUrl }) =>
    callback(isGranted(permission, requestingUrl)),
  )
  session.setPermissionCheckHandler((_contents, permission, from) => isGranted(permission, from))
  session.setDevicePermissionHandler(() => false)
}

/**
 * Restricts a window to its origin, and prevents further windows. Links to `http`, `https` and `mailto` open
 * in the system's browser; other schemes are blocked, because they could start a program. Redirects and
 * frames do not open in the browser, because no user started them.
 */
export function lockContents(
  contents: LockableContents,
  origin: Origin,
  openExternal: (url: string) => void,
): void {
  const preventForeign = (event: Navigation) => {
    const isForeign = !isFrom(event.url, origin())
    if (isForeign) event.preventDefault()
    return isForeign
  }
  contents.on('will-navigate', (event) => {
    if (preventForeign(event) && opensInBrowser(event.url)) openExternal(event.url)
  })
  contents.on('will-redirect', preventForeign)
  contents.on('will-frame-navigate', preventForeign)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    if (opensInBrowser(url)) openExternal(url)
    return { action: 'deny' }
  })
}

const opensInBrowser = (url: string): boolean =>
  URL.canParse(url) && /^(https?|mailto):$/.test(new URL(url).protocol)
