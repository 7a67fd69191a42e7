import type { ReactNode } from 'react'
import { createStore, useStore } from '../../lib/state/store.ts'

export type ConfirmRequest = {
  /** Names the object: "Delete Team Blue?" */
  readonly title: string
  /** Names the consequence. */
  readonly body: ReactNode
  /** The verb on the button. */
  readonly action: string
  readonly isDangerous?: boolean
  /** Text the user must type first. Only for what cannot be undone. */
  readonly requiredText?: string
  /** Runs while the dialog waits. The dialog shows an error and stays open. */
  readonly run?: () => Promise<unknown>
}

export type OpenRequest = ConfirmRequest & {
  readonly id: number
  readonly answer: (isConfirmed: boolean) => void
}

/** The confirmation that is open. Shown by `ConfirmHost`. */
export const openRequest = createStore<OpenRequest | null>(null)
let lastId = 0
/** Id of the confirmation whose action runs; null if none does. */
let runningId: number | null = null

/** Asks the user for confirmation. Resolves to true if it was given and `run`, if any, succeeded. */
export function confirm(request: ConfirmRequest): Promise<boolean> {
  openRequest.get()?.answer(false)
  return new Promise((resolve) => {
    lastId += 1
    const id = lastId
    const answer = (isConfirmed: boolean): void => {
      // A later confirmation may be open.
      if (openRequest.get()?.id === id) openRequest.set(null)
      resolve(isConfirmed)
    }
    const run = async (): Promise<void> => {
      runningId = id
      try {
        await request.run?.()
      } finally {
        if (runningId === id) runningId = null
      }
    }
    openRequest.set({ ...request, run, id, answer })
  })
}

/** Closes the confirmation. One whose action runs stays open, because it shows a failure. */
export function cancelConfirm(): void {
  if (openRequest.get()?.id !== runningId) endConfirm()
}

/** Closes the confirmation although its action may run, because the session ended. */
export const endConfirm = (): void => openRequest.get()?.answer(false)

/** True while a confirmation is open. The dialog below then ignores Escape. */
export const useIsConfirmOpen = (): boolean => useStore(openRequest) !== null
