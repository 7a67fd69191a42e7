import type { DesktopChoice, DesktopState } from '../contract/desktop.ts'
import type { LoginItem } from './login-item.ts'
import type { SettingsFile } from './settings.ts'

type Chosen = Pick<DesktopState, 'opensAtSignIn' | 'keepsRunning' | 'notifiesOfErrors'>

export type Choices = {
  /** What holds; null where there is nothing to choose. */
  get(): Chosen
  /** Throws when a choice cannot be kept. */
  change(choice: DesktopChoice): void
}

type Options = {
  readonly settings: SettingsFile
  readonly loginItem: LoginItem
  readonly platform: NodeJS.Platform
  readonly canNotify: () => boolean
  readonly onChange: () => void
}

/** What a person may choose for the app: the system keeps one, the shell's settings file the others. */
export function createChoices({ settings, loginItem, platform, canNotify, onChange }: Options): Choices {
  return {
    get() {
      const { keepsRunning, notifiesOfErrors } = settings.get()
      return {
        opensAtSignIn: loginItem.isOn(),
        keepsRunning: platform === 'darwin' ? null : keepsRunning,
        notifiesOfErrors: canNotify() ? notifiesOfErrors : null,
      }
    },
    change({ opensAtSignIn, ...kept }) {
      if (opensAtSignIn !== undefined) loginItem.set(opensAtSignIn)
      if (Object.keys(kept).length > 0) settings.set(kept)
      onChange()
    },
  }
}
