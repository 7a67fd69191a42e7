import { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import { readJson, writeJson } from '../lib/json-file.ts'

export type Rectangle = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const length = z.int().min(1).max(100_000)
const coordinate = z.int().min(-100_000).max(100_000)
const Saved = z.object({
  x: coordinate,
  y: coordinate,
  width: length,
  height: length,
  isMaximized: z.boolean(),
})

export const minSize = { width: 640, height: 480 }
const defaultSize = { width: 1440, height: 900 }
/** The part of the title bar that must be on a screen so that the user can move the window, in pixels. */
const minVisible = { width: 120, height: 32 }
const saveDelayMs = 500

export type Placement = {
  /** Without a position, the system chooses one. */
  readonly bounds: {
    readonly x?: number
    readonly y?: number
    readonly width: number
    readonly height: number
  }
  readonly isMaximized: boolean
}

/** Returns the saved placement if its screen is still present; `screens` are work areas without task bars. */
export function placementOf(saved: unknown, screens: readonly Rectangle[]): Placement {
  const { data } = Saved.safeParse(saved)
  const screen = data && screens.find((area) => isReachable(data, area))
  if (data === undefined || screen === undefined) {
    const size = within(defaultSize, screens[0])
    return { bounds: size, isMaximized: data?.isMaximized ?? false }
  }
  const { x, y, isMaximized } = data
  return { bounds: { x, y, ...within(data, screen) }, isMaximized }
}

const isReachable = (window: Rectangle, area: Rectangle): boolean =>
  Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x) >= minVisible.width &&
  window.y >= area.y &&
  window.y + minVisible.height <= area.y + area.height

const within = (size: { width: number; height: number }, area: Rectangle | undefined) => ({
  width: Math.max(minSize.width, Math.min(size.width, area?.width ?? size.width)),
  height: Math.max(minSize.height, Math.min(size.height, area?.height ?? size.height)),
})

export type PlacedWindow = {
  getNormalBounds(): Rectangle
  isMaximized(): boolean
  on(event: 'move' | 'resize' | 'maximize' | 'unmaximize' | 'close', listener: () => void): unknown
}

/**
 * Saves the placement of windows shortly after the last change, so that dragging does not write for every
 * pixel.
 */
export function createWindowMemory(file: string, clock: Clock) {
  return {
    placement: (screens: readonly Rectangle[]): Placement => placementOf(readJson(file), screens),
    follow(window: PlacedWindow): void {
      let cancel = () => {}
      const save = () => {
        cancel()
        try {
          writeJson(file, { ...window.getNormalBounds(), isMaximized: window.isMaximized() })
        } catch {
          // Ignored: after a failed write, the window opens at its previous position.
        }
      }
      const saveSoon = () => {
        cancel()
        cancel = clock.after(saveDelayMs, save)
      }
      for (const event of ['move', 'resize', 'maximize', 'unmaximize'] as const) window.on(event, saveSoon)
      window.on('close', save)
    },
  }
}
