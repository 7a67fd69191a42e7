import { createStore } from '../../lib/state/store.ts'

export type ToastAction = { readonly label: string; readonly run: () => void }
export type Toast = { readonly id: number; readonly text: string; readonly action: ToastAction | undefined }

/** Success messages on screen, oldest first. Shown by `Toasts`. */
export const toasts = createStore<readonly Toast[]>([])

/** Number of exports to show. The code of their tray loads with the first. */
export const exportCount = createStore(0)

const shownMs = 3_500
/** Longer, so that the user can notice the action and decide. */
const shownWithActionMs = 7_000
/** An older message is kept only for its action, so that messages do not pile up over the page. */
const maxShown = 2
let lastId = 0

export const dismiss = (id: number): void => toasts.set(toasts.get().filter((shown) => shown.id !== id))

/** Shows a success message, or an error that has no other place. */
export function toast(text: string, action?: ToastAction): void {
  lastId += 1
  const id = lastId
  const kept = toasts.get().filter((shown) => shown.action !== undefined)
  toasts.set([...kept, { id, text, action }].slice(-maxShown))
  setTimeout(() => dismiss(id), action === undefined ? shownMs : shownWithActionMs)
}
