import type { DesktopChoice, DesktopState } from '../../contract/system/desktop.ts'
import type { LoginItem } from './login-item.ts'
import type { SettingsFile } from './settings.ts'

type ChoiceValues = Pick<DesktopState, 'opensAtSignIn' | 'keepsRunning' | 'notifiesOfErrors'>

export type Choices = {
  /** Returns the current choices; null where a choice is not available. */
  get(): ChoiceValues
  /** Throws if a choice cannot be saved. */
  change(choice: DesktopChoice): void
}

type Options = {
  readonly settings: SettingsFile
  readonly loginItem: LoginItem
  readonly platform: NodeJS.Platform
  readonly canNotify: () => boolean
  readonly onChange: () => void
}

/**
 * The user's choices for the app. "Open at sign-in" is stored by the system, the others in the shell's
 * settings file.
 */
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
    change({ opensAtSignIn, ...otherChoices }) {
      if (opensAtSignIn !== undefined) loginItem.set(opensAtSignIn)
      if (Object.keys(otherChoices).length > 0) settings.set(otherChoices)
      onChange()
    },
  }
}
