import { tabValues } from '../state/storage.ts'

/**
 * Key of the tab's token in sessionStorage, the only place it is stored. A new tab can get the token from
 * another open tab, and signing out in one tab signs out every tab with the same token.
 */
const storageKey = 'promptdeck.token'
const channelName = 'promptdeck.session'
/** Time that a new tab waits for a token from another tab, in milliseconds. */
const handoverTimeoutMs = 120

/** Reason why nobody is signed in, for the sign-in page. */
export type SignedOutReason = 'never' | 'signed_out' | 'expired'
export type SessionState = {
  readonly token: string | null
  readonly reason: SignedOutReason
  /** The previous token of the same user. Connections opened with it stay open. */
  readonly replaced?: string
}

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'offer'; readonly token: string }
  | { readonly kind: 'replaced'; readonly old: string; readonly token: string }
  | { readonly kind: 'signed_out'; readonly token: string }

export type SessionStore = {
  /** Resolves once another tab has sent its token, or the wait is over. */
  readonly ready: Promise<void>
  readonly get: () => SessionState
  readonly token: () => string | null
  readonly signIn: (token: string) => void
  /** Stores a new token of the signed-in user. Every tab with the old token uses it too. */
  readonly replace: (token: string) => void
  /** `reason`: the user signed out, or the service rejected the token. */
  readonly signOut: (reason: Exclude<SignedOutReason, 'never'>) => void
  readonly subscribe: (listener: () => void) => () => void
}

function createSessionStore(storage: typeof tabValues, channel: BroadcastChannel): SessionStore {
  let state: SessionState = { token: storage.getItem(storageKey), reason: 'never' }
  const listeners = new Set<() => void>()
  const send = (message: Message): void => channel.postMessage(message)

  const change = (next: SessionState): void => {
    state = next
    if (next.token === null) storage.removeItem(storageKey)
    else storage.setItem(storageKey, next.token)
    for (const listener of listeners) listener()
  }

  let resolveReady: () => void = () => undefined
  const ready = new Promise<void>((resolve) => {
    resolveReady = resolve
  })

  channel.addEventListener('message', (event: MessageEvent<Message>) => {
    const message = event.data
    if (message.kind === 'ask' && state.token !== null) send({ kind: 'offer', token: state.token })
    if (message.kind === 'offer' && state.token === null && state.reason === 'never') {
      change({ token: message.token, reason: 'never' })
      resolveReady()
    }
    if (message.kind === 'replaced' && message.old === state.token) {
      change({ token: message.token, reason: 'never', replaced: message.old })
    }
    if (message.kind === 'signed_out' && message.token === state.token) {
      change({ token: null, reason: 'signed_out' })
    }
  })

  if (state.token === null) {
    send({ kind: 'ask' })
    setTimeout(resolveReady, handoverTimeoutMs)
  } else {
    resolveReady()
  }

  return {
    ready,
    get: () => state,
    token: () => state.token,
    signIn: (token) => change({ token, reason: 'never' }),
    replace: (token) => {
      const old = state.token
      if (old === null) return
      change({ token, reason: 'never', replaced: old })
      send({ kind: 'replaced', old, token })
    },
    signOut: (reason) => {
      const { token } = state
      if (token === null) return
      change({ token: null, reason })
      send({ kind: 'signed_out', token })
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const session = createSessionStore(tabValues, new BroadcastChannel(channelName))
