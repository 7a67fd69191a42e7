import type { DesktopBridge } from '../../contract/desktop.ts'

const isBridge = (value: unknown): value is DesktopBridge =>
  typeof value === 'object' && value !== null && 'state' in value && 'choose' in value

/** The desktop app around this page, which its preload put there; null in a browser. */
export const desktop: DesktopBridge | null =
  'promptdeck' in window && isBridge(window.promptdeck) ? window.promptdeck : null
