import { z } from 'zod'
import { readJson, writeJson } from '../lib/json-file.ts'

/** The user's choices for the app on this machine. A damaged field gets its default; the others are kept. */
const Stored = z
  .object({ keepsRunning: z.boolean().catch(false), notifiesOfErrors: z.boolean().catch(false) })
  .catch({ keepsRunning: false, notifiesOfErrors: false })
export type ShellSettings = z.output<typeof Stored>

export type SettingsFile = {
  get(): ShellSettings
  /** Throws if the change cannot be saved; then nothing has changed. */
  set(change: { readonly [K in keyof ShellSettings]?: boolean | undefined }): void
}

export function openSettings(file: string): SettingsFile {
  let settings = Stored.parse(readJson(file))
  return {
    get: () => settings,
    set({ keepsRunning = settings.keepsRunning, notifiesOfErrors = settings.notifiesOfErrors }) {
      const next = { keepsRunning, notifiesOfErrors }
      writeJson(file, next)
      settings = next
    },
  }
}
