import type { DesktopBridge, RemoteBridge } from '../../../contract/system/desktop.ts'

const isBridge = (value: unknown): value is DesktopBridge | RemoteBridge =>
  typeof value === 'object' && value !== null && 'state' in value && 'onOpen' in value

/** The bridge to the desktop app, which its preload script adds to the window; null in a browser. */
export const bridge: DesktopBridge | RemoteBridge | null =
  'promptdeck' in window && isBridge(window.promptdeck) ? window.promptdeck : null

/** The bridge to the app of the computer on which this service runs; null elsewhere. */
export const desktop: DesktopBridge | null = bridge !== null && 'choose' in bridge ? bridge : null

/** The bridge to an app that is paired with this service from another computer; null elsewhere. */
export const pairedApp: RemoteBridge | null = bridge !== null && 'signIn' in bridge ? bridge : null
