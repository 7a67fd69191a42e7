import type { ServiceState } from '../service/supervisor.ts'

/** All texts of the shell. */
export const texts = {
  product: 'Promptdeck',
  open: 'Open Promptdeck',
  openInBrowser: 'Open in Browser',
  copyAddress: 'Copy Address',
  settings: 'Settings…',
  opensAtSignIn: 'Open at Sign-in',
  keepsRunning: 'Keep Running When the Window Is Closed',
  quit: 'Quit Promptdeck',
  connect: 'Connect to a Server…',
  servers: 'Servers',
  thisComputer: 'This Computer',
  openLogFolder: 'Open Log Folder',
  apiDocs: 'API Documentation',
  openApi: 'OpenAPI Description',
  metrics: 'Metrics',
  go: 'Go',
  status: (state: ServiceState): string => {
    if (state.kind === 'running')
      return state.isOwn ? `Running at ${state.url}` : `Connected to ${state.url}, which another process runs`
    if (state.kind === 'restarting') return `Restarting (${state.attempt} of ${state.of})…`
    if (state.kind === 'failed') return 'Not running'
    return state.kind === 'starting' ? 'Starting…' : 'Stopped'
  },
  waitingTitle: 'Promptdeck is starting',
  waitingBody: 'The service is loading its data. After a crash or an update this can take several minutes.',
  failedTitle: 'Promptdeck has stopped',
  logAt: 'Log',
  tryAgain: 'Try Again',
  quitShort: 'Quit',
  failedRuns: (count: number): string => (count === 1 ? 'A run failed' : `${count} runs failed`),
  failedRunsBody: (count: number, name: string): string => (count === 1 ? name : `The newest: ${name}`),
} as const
