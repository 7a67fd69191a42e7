import type { Problem } from './failures.ts'

/** A server that this app is paired with, as the list shows it. */
export type ListedServer = {
  readonly id: string
  readonly name: string
  readonly host: string
  readonly username: string
  readonly isOpen: boolean
}

/** A server that was found on the network. None of its data is verified. */
export type ListedFound = {
  readonly name: string
  readonly address: string
  /** The name of the paired server that it claims to be; null if it claims to be none of them. */
  readonly claims: string | null
}

/** A server whose certificate authority is known, but not confirmed by the person yet. */
export type Candidate = {
  readonly name: string
  readonly host: string
  readonly words: readonly string[]
  readonly fingerprint: string
}

export type View =
  | {
      readonly kind: 'list'
      readonly servers: readonly ListedServer[]
      /** Null: not looking for servers. */
      readonly found: readonly ListedFound[] | null
      readonly problem: Problem | null
      readonly problemOf: string | null
      readonly address: string
      /** IDs of the server that is being renamed, and of the one whose removal must be confirmed. */
      readonly renaming: string | null
      readonly forgetting: string | null
    }
  /** A link to a server was opened. Nothing was sent yet. */
  | { readonly kind: 'asked'; readonly host: string }
  | { readonly kind: 'contacting'; readonly host: string }
  | { readonly kind: 'compare'; readonly candidate: Candidate }
  | {
      readonly kind: 'account'
      readonly candidate: Candidate
      readonly needsCode: boolean
      readonly needsSecondFactor: boolean
      readonly isSending: boolean
      readonly values: AccountValues
      readonly problem: Problem | null
    }
  | { readonly kind: 'waiting'; readonly candidate: Candidate; readonly device: string }

/** The fields that are shown again after an error. Passwords and codes are not. */
export type AccountValues = {
  readonly device: string
  readonly account: 'new' | 'existing'
  readonly username: string
}

export type ListView = Extract<View, { kind: 'list' }>
export type AccountView = Extract<View, { kind: 'account' }>
