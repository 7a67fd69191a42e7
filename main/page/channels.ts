/**
 * The IPC channels from the console to the shell. Keep them fewer than ten: each one enlarges the attack
 * surface.
 */
export const channels = [
  'promptdeck:state',
  'promptdeck:choose',
  'promptdeck:open-log-folder',
  'promptdeck:report-failed-runs',
  'promptdeck:show-servers',
  'promptdeck:sign-in',
] as const
export type Channel = (typeof channels)[number]

/** The only channel from the shell to the console: navigate to this path. */
export const openChannel = 'promptdeck:open'

/** The channels of the window for servers: what the person did, and the view that is shown. */
export const serversAction = 'promptdeck:servers'
export const serversView = 'promptdeck:servers-view'

/** Argument of the preload in the window of another computer's console, which may call fewer functions. */
export const remoteArgument = '--promptdeck-remote'
