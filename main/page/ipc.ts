import { z } from 'zod'
import type { DesktopChoice, DesktopState, FailedRuns } from '../../contract/system/desktop.ts'
import type { Channel } from './channels.ts'
import type { Origin } from './security.ts'

type Frame = { readonly origin: string; readonly parent: object | null }

/** The parts of Electron's event that identify the sender. */
export type IpcEvent = { readonly sender: object; readonly senderFrame: Frame | null }

export type IpcPart = {
  handle(channel: string, listener: (event: IpcEvent, ...args: unknown[]) => unknown): void
}

/** The handlers of the console's requests. */
export type ConsoleRequests = {
  state(): DesktopState
  choose(choice: DesktopChoice): void
  openLogFolder(): Promise<void>
  runsFailed(report: FailedRuns): void
}

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
 * Handles requests of the console only: from the top frame of the app's window, while its origin is the
 * service's. Requests from inner frames, other windows or other pages are rejected, and so are invalid
 * requests.
 */
export function handleConsoleRequests(
  ipc: IpcPart,
  { isWindow, origin }: { isWindow: (sender: object) => boolean; origin: Origin },
  handlers: ConsoleRequests,
): void {
  const isConsole = ({ sender, senderFrame }: IpcEvent) =>
    isWindow(sender) && senderFrame !== null && senderFrame.parent === null && senderFrame.origin === origin()

  const handle = <T>(channel: Channel, schema: z.ZodType<T>, run: (args: T) => unknown) =>
    ipc.handle(channel, (event, ...args) => {
      if (!isConsole(event)) throw new Error(`${channel}: not allowed for this page`)
      const { data, success } = schema.safeParse(args)
      if (!success) throw new Error(`${channel}: invalid arguments`)
      return run(data)
    })

  handle('promptdeck:state', NoArguments, () => handlers.state())
  handle('promptdeck:choose', z.tuple([Choice]), ([{ opensAtSignIn, keepsRunning, notifiesOfErrors }]) => {
    handlers.choose({
      ...(opensAtSignIn !== undefined && { opensAtSignIn }),
      ...(keepsRunning !== undefined && { keepsRunning }),
      ...(notifiesOfErrors !== undefined && { notifiesOfErrors }),
    })
    return handlers.state()
  })
  handle('promptdeck:open-log-folder', NoArguments, () => handlers.openLogFolder())
  handle('promptdeck:report-failed-runs', z.tuple([Report]), ([report]) => handlers.runsFailed(report))
}
