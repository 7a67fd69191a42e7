import { z } from 'zod'
import type { DesktopChoice, DesktopState, FailedRuns, RemoteState } from '../../contract/system/desktop.ts'
import type { Channel } from './channels.ts'
import type { Origin } from './security.ts'

type Frame = { readonly origin: string; readonly parent: object | null }

/** The parts of Electron's event that identify the sender. */
export type IpcEvent = { readonly sender: object; readonly senderFrame: Frame | null }

export type IpcPart = {
  handle(channel: string, listener: (event: IpcEvent, ...args: unknown[]) => unknown): void
}

/**
 * The handlers of a console's requests. The console of another computer has no `choose` and no `openLogFolder`:
 * they concern this computer. The console of this computer has no `signIn`.
 */
export type ConsoleRequests = {
  state(): DesktopState | RemoteState
  runsFailed(report: FailedRuns): void
  showServers(): void
  choose?(choice: DesktopChoice): void
  openLogFolder?(): Promise<void>
  /** Returns a session token of the user of this device; null if the server refuses. */
  signIn?(): Promise<string | null>
}

/** A console in a window of the app. */
export type Console = { readonly origin: Origin; readonly requests: ConsoleRequests }

const Flag = z.boolean().optional()
const Choice = z.strictObject({ opensAtSignIn: Flag, keepsRunning: Flag, notifiesOfErrors: Flag })
/** Line breaks and control characters could disguise a notification as something else. */
const Name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u)
const Report = z.strictObject({
  count: z.int().min(1).max(1_000_000_000),
  newestId: z.int().min(0),
  name: Name,
})
const NoArguments = z.tuple([])

/**
 * Handles requests of consoles only: from the top frame of a window of the app, while its origin is that of
 * its service. Requests from inner frames, other windows or other pages are rejected, and so are requests that
 * are invalid or not for this console.
 */
export function handleConsoleRequests(ipc: IpcPart, consoleOf: (sender: object) => Console | null): void {
  const requestsOf = ({ sender, senderFrame }: IpcEvent): ConsoleRequests | null => {
    const found = consoleOf(sender)
    const isConsole =
      found !== null &&
      senderFrame !== null &&
      senderFrame.parent === null &&
      senderFrame.origin === found.origin()
    return isConsole ? found.requests : null
  }

  const handle = <T>(
    channel: Channel,
    schema: z.ZodType<T>,
    name: keyof ConsoleRequests,
    run: (requests: ConsoleRequests, args: T) => unknown,
  ) =>
    ipc.handle(channel, (event, ...args) => {
      const requests = requestsOf(event)
      if (requests?.[name] === undefined) throw new Error(`${channel}: not allowed for this page`)
      const { data, success } = schema.safeParse(args)
      if (!success) throw new Error(`${channel}: invalid arguments`)
      return run(requests, data)
    })

  handle('promptdeck:state', NoArguments, 'state', (requests) => requests.state())
  handle('promptdeck:choose', z.tuple([Choice]), 'choose', (requests, [choice]) => {
    requests.choose?.(definedChoices(choice))
    return requests.state()
  })
  handle('promptdeck:open-log-folder', NoArguments, 'openLogFolder', (requests) => requests.openLogFolder?.())
  handle('promptdeck:report-failed-runs', z.tuple([Report]), 'runsFailed', (requests, [report]) =>
    requests.runsFailed(report),
  )
  handle('promptdeck:show-servers', NoArguments, 'showServers', (requests) => requests.showServers())
  handle('promptdeck:sign-in', NoArguments, 'signIn', (requests) => requests.signIn?.())
}

const definedChoices = ({
  opensAtSignIn,
  keepsRunning,
  notifiesOfErrors,
}: z.output<typeof Choice>): DesktopChoice => ({
  ...(opensAtSignIn !== undefined && { opensAtSignIn }),
  ...(keepsRunning !== undefined && { keepsRunning }),
  ...(notifiesOfErrors !== undefined && { notifiesOfErrors }),
})
