/**
 * The IPC channels from the console to the shell. Keep them fewer than ten: each one enlarges the attack
 * surface.
 */
export const channels = [
  'promptdeck:state',
  'promptdeck:choose',
  'promptdeck:open-log-folder',
  'promptdeck:report-failed-runs',
] as const
export type Channel = (typeof channels)[number]

/** The only channel from the shell to the console: navigate to this path. */
export const openChannel = 'promptdeck:open'
