import type { HistoryEvent } from '../../history/history.ts'
import { anonymous } from '../../lib/context.ts'
import type { PairingRequestState, Window } from './pairing.records.ts'

type Request = Omit<PairingRequestState<unknown>, 'applicant'> & {
  readonly applicant: { readonly kind: 'new' | 'existing' | 'none'; readonly username: string | null }
}

const rightsOf = ({ rights: { role, access, memberships } }: Window) => ({
  role,
  access,
  ...(access === 'listed' && { memberships }),
})

const ofWindow = (window: Window) =>
  ({ resource: 'pairing', resourceId: window.id, key: window.opener.name }) as const

export const opened = (window: Window): HistoryEvent => ({
  ...ofWindow(window),
  action: 'create',
  summary: `Opened a pairing window for ${window.rights.access === 'all' ? `the role ${window.rights.role}` : `workspaces: ${window.rights.memberships.length}`}`,
  after: rightsOf(window),
})

type Ending = 'replaced' | 'closed' | 'expired' | 'guessed' | 'stopped'

const endings: Readonly<Record<Ending, string>> = {
  replaced: 'was closed, because another was opened',
  closed: 'was closed',
  expired: 'expired',
  guessed: 'was closed after too many wrong codes',
  stopped: 'was closed, because the service stopped',
}

export const ended = (window: Window, ending: Ending): HistoryEvent => ({
  ...ofWindow(window),
  action: 'delete',
  summary: `The pairing window of ${window.opener.name} ${endings[ending]}`,
  after: { ended: ending, wrong_codes: window.wrongCodes },
  ...(ending === 'guessed' && { actor: anonymous }),
})

/** The entry for wrong codes of one address and minute. */
export const wrongCodes = (count: number): HistoryEvent => ({
  action: 'login_failed',
  resource: 'pairing',
  resourceId: null,
  key: null,
  summary: `Wrong pairing code${count === 1 ? '' : ` (${count} times)`}`,
  after: { count },
  actor: anonymous,
})

/** The entry for the right code of a window that had ended. */
export const replayed = (window: Window): HistoryEvent => ({
  ...ofWindow(window),
  action: 'login_failed',
  summary: `Refused a pairing code ${window.state === 'used' ? 'that was already used' : window.state === 'expired' ? 'that had expired' : 'of a closed window'}`,
  after: { window: window.state },
  actor: anonymous,
})

const accountOf = ({ applicant: { kind, username } }: Request): string => {
  if (kind === 'none') return ''
  return kind === 'new' ? ` for the new user ${username}` : ` for ${username}`
}

const ofRequest = (request: Request) =>
  ({ resource: 'pairing', resourceId: request.id, key: request.name }) as const

const factsOf = (request: Request) => ({
  kind: request.kind,
  account: request.applicant.kind,
  username: request.applicant.username,
  address: request.address,
  window: request.window.id,
})

export const requested = (request: Request): HistoryEvent => ({
  ...ofRequest(request),
  action: 'update',
  summary: `${request.name} (${request.kind}) asked to be paired${accountOf(request)}`,
  after: factsOf(request),
  actor: anonymous,
})

export const approved = (request: Request): HistoryEvent => ({
  ...ofRequest(request),
  action: 'approve',
  summary: `Approved the pairing of ${request.name} (${request.kind})${accountOf(request)}`,
  after: factsOf(request),
})

export const refused = (request: Request): HistoryEvent => ({
  ...ofRequest(request),
  action: 'refuse',
  summary: `Refused the pairing of ${request.name} (${request.kind})${accountOf(request)}`,
  after: factsOf(request),
})

export const unanswered = (request: Request): HistoryEvent => ({
  ...ofRequest(request),
  action: 'delete',
  summary: `The pairing request of ${request.name} (${request.kind}) expired without an answer`,
  after: factsOf(request),
})
