/** The parts of Electron that are locked down here, so that a double can stand in for them. */
export type LockableSession = {
  setPermissionRequestHandler(
    handler: (
      contents: unknown,
      permission: string,
      answer: (isGranted: boolean) => void,
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

/** Copying a value is the one thing the console may do beyond drawing and fetching. */
const granted = new Set(['clipboard-sanitized-write'])

const isFrom = (url: string | undefined, origin: string): boolean =>
  url !== undefined && URL.canParse(url) && new URL(url).origin === origin

/** No camera, no location, no notifications, no devices: for every page, the console included. */
export function lockSession(session: LockableSession, origin: string): void {
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(granted.has(permission) && isFrom(requestingUrl, origin)),
  )
  session.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin) => granted.has(permission) && isFrom(requestingOrigin, origin),
  )
  session.setDevicePermissionHandler(() => false)
}

/**
 * Keeps a window on its origin. Nothing opens a second window; a link to a site goes to the system's browser, and only
 * http and https do: any other scheme could start a program.
 */
export function lockContents(
  contents: LockableContents,
  origin: string,
  openOutside: (url: string) => void,
): void {
  const stay = (event: Navigation) => {
    if (!isFrom(event.url, origin)) event.preventDefault()
  }
  contents.on('will-navigate', stay)
  contents.on('will-redirect', stay)
  contents.on('will-frame-navigate', stay)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    if (isWeb(url) && !isFrom(url, origin)) openOutside(url)
    return { action: 'deny' }
  })
}

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
