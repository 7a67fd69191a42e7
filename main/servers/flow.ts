import { ask, confirmWords, connect, drop, open, proceed } from './contact.ts'
import { type Problem, problemOf } from './failures.ts'
import { begin, type FlowDeps, foundOf, list, type State, show } from './flow-state.ts'
import type { Fields } from './pairing.ts'
import type { View } from './views.ts'

/** The actions that the page may request by name. Any other name is rejected. */
export const flowActions = [
  'ready',
  'connect',
  'proceed',
  'cancel',
  'confirm-words',
  'request',
  'look',
  'stop-looking',
  'local',
  'open',
  'rename',
  'save-name',
  'forget',
  'confirm-forget',
] as const
export type FlowAction = (typeof flowActions)[number]

export type ServersFlow = {
  /** Handles what the person did on the page. */
  act(action: FlowAction, fields: Fields): Promise<void>
  /** Shows the list, and an error of a server if one is given. */
  showList(problem?: { readonly id: string; readonly error: unknown }): void
  /** Asks the person whether to connect to the server of a link. Sends nothing before. */
  ask(link: string): Promise<void>
  /** Ends all work, because the window was closed. */
  stop(): void
}

/** The first view, before any action or link. */
const firstView: View = { kind: 'contacting', host: '' }

/** The actions of the window for servers: list, connect, pair, rename and forget. */
export function createServersFlow(deps: FlowDeps): ServersFlow {
  const state: State = {
    ...deps,
    view: firstView,
    asked: null,
    target: null,
    pairing: null,
    work: new AbortController(),
    found: null,
    stopLooking: () => {},
    late: null,
  }
  return {
    act: async (action, fields) => handlers[action](state, fields),
    showList(problem) {
      if (problem !== undefined) state.late = { problem: problemOf(problem.error), problemOf: problem.id }
      // Does not interrupt an action in progress, such as waiting for an admin.
      if (!isIdle(state.view)) return
      begin(state)
      show(state, list(state))
    },
    ask: (link) => ask(state, link),
    stop() {
      begin(state)
      stopLooking(state)
      state.view = firstView
    },
  }
}

const isIdle = (view: View): boolean => view.kind === 'list' || view === firstView

const handlers: Readonly<Record<FlowAction, (state: State, fields: Fields) => Promise<void> | void>> = {
  ready: (state) => show(state, state.view),
  connect: (state, { address = '' }) => connect(state, address),
  proceed,
  'confirm-words': confirmWords,
  request: (state, fields) => state.pairing?.request(fields),
  look,
  open: (state, { id = '' }) => open(state, id),
  local(state) {
    if (state.openLocal()) state.close()
  },
  rename: (state, { id = '' }) => show(state, list(state, { renaming: id })),
  forget: (state, { id = '' }) => show(state, list(state, { forgetting: id })),
  'save-name': (state, { id = '', name = '' }) => rename(state, id, name),
  'confirm-forget': (state, { id = '' }) => forget(state, id),
  cancel(state) {
    begin(state)
    show(state, list(state))
  },
  'stop-looking'(state) {
    stopLooking(state)
    show(state, list(state))
  },
}

function rename(state: State, id: string, text: string): void {
  const name = text
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 64)
  if (name !== '') state.servers.change(id, { name })
  const missing = { renaming: id, problem: problemWith('name', 'Enter a name.') }
  show(state, list(state, name === '' ? missing : {}))
}

const problemWith = (field: string, message: string): Problem => ({
  kind: 'fields',
  message,
  remedy: '',
  fields: { [field]: message },
})

async function forget(state: State, id: string): Promise<void> {
  const server = state.servers.get(id)
  if (server !== null) {
    state.servers.remove(id)
    await drop(state, server)
  }
  show(state, list(state))
}

async function look(state: State): Promise<void> {
  if (state.found !== null) return
  const found: State['found'] = []
  state.found = found
  show(state, list(state))
  const client = await state.client()
  // The person may have stopped, and even started again, while the client was loaded.
  if (state.found !== found) return
  state.stopLooking = client.browse((servers) => {
    state.found = servers
    if (state.view.kind === 'list')
      show(state, { ...state.view, found: foundOf(state, state.servers.list()) })
  })
}

function stopLooking(state: State): void {
  state.stopLooking()
  state.stopLooking = () => {}
  state.found = null
}
