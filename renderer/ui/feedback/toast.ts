import { createStore } from '../../lib/state/store.ts'

export type Undo = { readonly label: string; readonly run: () => void }
export type Toast = { readonly id: number; readonly text: string; readonly undo: Undo | undefined }

/** Success messages on screen, oldest first. Shown by `Toasts`. */
export const toasts = createStore<readonly Toast[]>([])

/** Number of exports to show. The code of their tray loads with the first. */
export const exportCount = createStore(0)

const shownMs = 3_500
/** Longer, so that the user can notice the action and decide. */
const shownWithUndoMs = 7_000
/** An older message is kept only for its action, so that messages do not pile up over the page. */
const maxShown = 2
let lastId = 0

export const dismiss = (id: number): void => toasts.set(toasts.get().filter((shown) => shown.id !== id))

/** Shows a success message, or an error that has no other place. */
export function toast(text: string, undo?: Undo): void {
  lastId += 1
  const id = lastId
  const kept = toasts.get().filter((shown) => shown.undo !== undefined)
  toasts.set([...kept, { id, text, undo }].slice(-maxShown))
  setTimeout(() => dismiss(id), undo === undefined ? shownMs : shownWithUndoMs)
}
