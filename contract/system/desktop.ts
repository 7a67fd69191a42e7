/**
 * The requests of a console to the desktop app that shows it. The preload provides them as
 * `window.promptdeck`, and the shell validates the sender and the arguments. They use IPC, not the network.
 */
type CommonBridge = {
  /** Reports failed runs. The shell decides whether to show a notification. */
  reportFailedRuns(report: FailedRuns): Promise<void>
  /** Shows the window in which a person connects to servers and changes between them. */
  showServers(): Promise<void>
  /**
   * Registers a listener for console paths to open, from an external link or a notification. Returns a
   * function that removes it.
   */
  onOpen(listener: (path: string) => void): () => void
}

/** The bridge of the console of this computer. */
export type DesktopBridge = CommonBridge & {
  state(): Promise<DesktopState>
  /** Changes the given choices and returns the new state. */
  choose(choice: DesktopChoice): Promise<DesktopState>
  openLogFolder(): Promise<void>
}

/**
 * The bridge of the console of another computer, with which the app is paired. It controls nothing of this
 * computer.
 */
export type RemoteBridge = CommonBridge & {
  state(): Promise<RemoteState>
  /**
   * Opens a session of the paired user, and returns its token; null if the service refuses.
   * The token of the device itself stays in the shell.
   */
  signIn(): Promise<string | null>
}

export type RemoteState = {
  /** The paired user. */
  readonly username: string
  /** Null: this system shows no notifications. */
  readonly notifiesOfErrors: boolean | null
}

export type DesktopState = {
  readonly version: string
  readonly logFile: string
  /** True if the service belongs to another process and continues when the app quits. */
  readonly isAttached: boolean
  /** Null: not available, because this build is not installed. */
  readonly opensAtSignIn: boolean | null
  /**
   * True if the app continues in the tray when its window is closed. Null: it always continues, as apps do on
   * macOS.
   */
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
  /** The id of the newest failed run. A click on the notification opens it if it is the only one. */
  readonly newestId: number
  /** The prompt's key, or else the model, for display. */
  readonly name: string
}
