/** The console's questions to the shell. Fewer than ten, ever: each is a door in the wall around the page. */
export const channels = [
  'promptdeck:state',
  'promptdeck:choose',
  'promptdeck:open-log-folder',
  'promptdeck:report-failed-runs',
] as const
export type Channel = (typeof channels)[number]

/** The shell's one word to the console: go to this path. */
export const openChannel = 'promptdeck:open'
