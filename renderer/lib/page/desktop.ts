import type { DesktopBridge } from '../../../contract/system/desktop.ts'

const isBridge = (value: unknown): value is DesktopBridge =>
  typeof value === 'object' && value !== null && 'state' in value && 'choose' in value

/** The bridge to the desktop app, which its preload script adds to the window; null in a browser. */
export const desktop: DesktopBridge | null =
  'promptdeck' in window && isBridge(window.promptdeck) ? window.promptdeck : null
