import { z } from 'zod'
import { session as userSession } from '../../lib/session/session.ts'
import { deleteStored, readStored, writeStored } from '../../lib/state/persistentStorage.ts'
import { tabValues } from '../../lib/state/storage.ts'
import { createStore, type Store } from '../../lib/state/store.ts'
import { emptySetup, type Result, Results, Setup } from './playground.state.ts'

/** The state of the Playground for one user in this tab. Runs continue while another page is open. */
export type PlaygroundSession = {
  readonly owner: string
  readonly setup: Store<Setup>
  readonly change: (patch: Partial<Setup>) => void
  readonly resultOf: (column: string) => Store<Result | null>
  /** The ids of columns with a run in progress. */
  readonly running: Store<ReadonlySet<string>>
  /** Abort controllers by column; removed when the run ends. */
  readonly abortControllers: Map<string, AbortController>
  readonly replace: (setup: Setup, results: Results) => void
  readonly results: () => Results
  /** Schedules storing the state in this browser. */
  readonly scheduleStore: () => void
}

export type OpenDialog = 'history' | 'compare' | 'draft' | 'prompt' | 'agent' | 'case' | 'cases'

const StoredTab = z.object({ setup: Setup, results: Results })
const TabList = z.array(z.string())
/** Delay before a change is stored, in milliseconds. A crash loses at most this much. */
const storeDelayMs = 250
/** Number of tabs whose state is stored; the oldest is removed. */
const maxTabs = 4
const tabKey = 'promptdeck.playground.tab'

/**
 * Returns the id of this tab. It survives a reload but not the tab, so that tabs do not overwrite each
 * other's state.
 */
function tabId(): string {
  const storedId = tabValues.getItem(tabKey)
  if (storedId !== null) return storedId
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-')
  tabValues.setItem(tabKey, id)
  return id
}

/**
 * Restores the state of this tab, otherwise the user's latest state in any tab. Runs in progress become
 * `cut`.
 */
async function restore(owner: string, tab: string): Promise<z.infer<typeof StoredTab>> {
  const stateName = (name: string): string => `playground.${owner}.tab.${name}`
  const tabs = (await readStored(`playground.${owner}.tabs`, TabList)) ?? []
  const from = tabs.includes(tab) ? tab : (tabs[0] ?? tab)
  const next = [tab, ...tabs.filter((name) => name !== tab)]
  for (const removed of next.splice(maxTabs)) await deleteStored(stateName(removed))
  await writeStored(`playground.${owner}.tabs`, next)
  const stored = (await readStored(stateName(from), StoredTab)) ?? { setup: emptySetup(), results: {} }
  const results = Object.entries(stored.results).map(([id, result]): [string, Result] => [
    id,
    result.status === 'running' ? { ...result, status: 'cut' } : result,
  ])
  return { setup: stored.setup, results: Object.fromEntries(results) }
}

async function create(owner: string): Promise<PlaygroundSession> {
  const tab = tabId()
  const stored = await restore(owner, tab)
  const setup = createStore(stored.setup)
  const stores = new Map<string, Store<Result | null>>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const resultOf = (column: string): Store<Result | null> => {
    const cached = stores.get(column)
    if (cached !== undefined) return cached
    const created = createStore<Result | null>(stored.results[column] ?? null)
    stores.set(column, created)
    return created
  }
  for (const column of stored.setup.columns) resultOf(column.id)
  const results = (): Results =>
    Object.fromEntries(
      setup.get().columns.flatMap(({ id }) => {
        const result = resultOf(id).get()
        return result === null ? [] : [[id, result]]
      }),
    )
  const storeNow = (): void => {
    clearTimeout(timer)
    timer = undefined
    void writeStored(`playground.${owner}.tab.${tab}`, { setup: setup.get(), results: results() })
  }
  const scheduleStore = (): void => {
    timer ??= setTimeout(storeNow, storeDelayMs)
  }
  window.addEventListener('pagehide', storeNow)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && storeNow())

  return {
    owner,
    setup,
    change: (patch) => {
      setup.set({ ...setup.get(), ...patch })
      scheduleStore()
    },
    resultOf,
    running: createStore<ReadonlySet<string>>(new Set()),
    abortControllers: new Map(),
    replace: (next, nextResults) => {
      for (const { id } of next.columns) resultOf(id).set(nextResults[id] ?? null)
      setup.set(next)
      scheduleStore()
    },
    results,
    scheduleStore,
  }
}

let opened: { readonly owner: string; readonly session: Promise<PlaygroundSession> } | null = null

/** Returns the session of the signed-in user, and stops the runs of another user. */
export function openSession(owner: string): Promise<PlaygroundSession> {
  if (opened?.owner !== owner) {
    void opened?.session.then(stopAll)
    opened = { owner, session: create(owner) }
  }
  return opened.session
}

/** Cancels all runs in progress. */
export function stopAll(session: PlaygroundSession): void {
  for (const controller of session.abortControllers.values()) controller.abort()
}

// Signing out stops all runs; the next user gets a separate session.
userSession.subscribe(() => {
  if (userSession.token() !== null || opened === null) return
  void opened.session.then(stopAll)
  opened = null
})
