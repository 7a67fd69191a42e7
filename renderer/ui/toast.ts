import { createStore } from '../lib/store.ts'

export type Undo = { readonly label: string; readonly run: () => void }
export type Toast = { readonly id: number; readonly text: string; readonly undo: Undo | undefined }

/** What has just succeeded, oldest first; shown by `Toasts`. */
export const toasts = createStore<readonly Toast[]>([])

/** How many exports there are to show; the tray that shows them comes with the first. */
export const exportCount = createStore(0)

const shownMs = 3_500
/** Long enough to notice and to decide. */
const shownWithUndoMs = 7_000
const mostAtOnce = 3
let made = 0

export const dismiss = (id: number): void => toasts.set(toasts.get().filter((one) => one.id !== id))

/** Says what succeeded. Errors have a place of their own and never come here. */
export function toast(text: string, undo?: Undo): void {
  made += 1
  const id = made
  toasts.set([...toasts.get(), { id, text, undo }].slice(-mostAtOnce))
  setTimeout(() => dismiss(id), undo === undefined ? shownMs : shownWithUndoMs)
}
