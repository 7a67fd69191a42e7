import { createStore } from '../../lib/state/store.ts'

export type Undo = { readonly label: string; readonly run: () => void }
export type Toast = { readonly id: number; readonly text: string; readonly undo: Undo | undefined }

/** Success messages on screen, oldest first. Shown by `Toasts`. */
export const toasts = createStore<readonly Toast[]>([])

/** Number of exports to show. The code of their tray loads with the first. */
export const exportCount = createStore(0)

const shownMs = 3_500
/** In milliseconds; longer, so that the user can notice and decide. */
const shownWithUndoMs = 7_000
const maxAtOnce = 3
let made = 0

export const dismiss = (id: number): void => toasts.set(toasts.get().filter((one) => one.id !== id))

/** Shows a success message. Errors are shown elsewhere and never here. */
export function toast(text: string, undo?: Undo): void {
  made += 1
  const id = made
  toasts.set([...toasts.get(), { id, text, undo }].slice(-maxAtOnce))
  setTimeout(() => dismiss(id), undo === undefined ? shownMs : shownWithUndoMs)
}
