/**
 * What the console may ask of the desktop app it is shown in. It crosses no network: the preload offers it as
 * `window.promptdeck`, and the shell checks who asks and what.
 */
export type DesktopBridge = {
  state(): Promise<DesktopState>
  /** Changes what is named and answers what holds from now on. */
  choose(choice: DesktopChoice): Promise<DesktopState>
  openLogFolder(): Promise<void>
  /** The shell decides whether the person hears of it. */
  reportFailedRuns(report: FailedRuns): Promise<void>
  /** Calls back with a path of the console to go to: a link from outside, a notification that was clicked. */
  onOpen(listener: (path: string) => void): () => void
}

export type DesktopState = {
  readonly version: string
  readonly logFile: string
  /** True when the service belongs to another process and goes on when the app quits. */
  readonly isAttached: boolean
  /** Null: this build cannot, because it is not installed. */
  readonly opensAtSignIn: boolean | null
  /** Whether the app goes on in the tray when its window is closed. Null: it always does, as apps do on macOS. */
  readonly keepsRunning: boolean | null
  /** Null: this system shows no notifications. */
  readonly notifiesOfErrors: boolean | null
}

export type DesktopChoice = {
  readonly opensAtSignIn?: boolean
  readonly keepsRunning?: boolean
  readonly notifiesOfErrors?: boolean
}

export type FailedRuns = {
  readonly count: number
  /** The newest of them: what a click on the notification opens when there is but one. */
  readonly newestId: number
  /** What failed, for people: the prompt's key, else the model. */
  readonly name: string
}
