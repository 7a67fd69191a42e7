import i18next from 'i18next'
import type { ReactNode } from 'react'
import { createElement, Fragment } from 'react'
import type agents from '../locales/en/agents.json'
import type audit from '../locales/en/audit.json'
import type clients from '../locales/en/clients.json'
import common from '../locales/en/common.json'
import type connect from '../locales/en/connect.json'
import type definition from '../locales/en/definition.json'
import type desktop from '../locales/en/desktop.json'
import type first_run from '../locales/en/first_run.json'
import type latest_runs from '../locales/en/latest_runs.json'
import type login from '../locales/en/login.json'
import type model from '../locales/en/model.json'
import type overview from '../locales/en/overview.json'
import type palette from '../locales/en/palette.json'
import type playground from '../locales/en/playground.json'
import type profile from '../locales/en/profile.json'
import type prompt from '../locales/en/prompt.json'
import type prompts from '../locales/en/prompts.json'
import type providers from '../locales/en/providers.json'
import type runs from '../locales/en/runs.json'
import type settings from '../locales/en/settings.json'
import shell from '../locales/en/shell.json'
import type transfer from '../locales/en/transfer.json'
import type users from '../locales/en/users.json'
import type workflows from '../locales/en/workflows.json'
import type workspaces from '../locales/en/workspaces.json'

const english = { common, shell }
/** Catalogues that pages add with `addTexts` when they load. */
type Late = {
  agents: typeof agents
  audit: typeof audit
  clients: typeof clients
  connect: typeof connect
  definition: typeof definition
  desktop: typeof desktop
  first_run: typeof first_run
  latest_runs: typeof latest_runs
  login: typeof login
  model: typeof model
  overview: typeof overview
  palette: typeof palette
  playground: typeof playground
  profile: typeof profile
  prompt: typeof prompt
  prompts: typeof prompts
  providers: typeof providers
  runs: typeof runs
  settings: typeof settings
  transfer: typeof transfer
  users: typeof users
  workflows: typeof workflows
  workspaces: typeof workspaces
}
type Catalogue = typeof english & Late

type Singular<K extends string> = K extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : K
type Leaf<T> = {
  [K in keyof T & string]: T[K] extends string ? Singular<K> : `${K}.${Leaf<T[K]>}`
}[keyof T & string]

/** Key of a text of the console, such as `users:form.username`. */
export type TextKey = { [N in keyof Catalogue & string]: `${N}:${Leaf<Catalogue[N]>}` }[keyof Catalogue &
  string]

type Values = Readonly<Record<string, string | number>>

const catalogue = i18next.createInstance()
void catalogue.init({
  lng: 'en',
  fallbackLng: 'en',
  ns: Object.keys(english),
  defaultNS: 'common',
  resources: { en: english },
  initAsync: false,
  // React escapes; escaping twice would show &amp; to users.
  interpolation: { escapeValue: false },
  returnNull: false,
  // Keeps i18next from printing an advertisement to the browser console.
  showSupportNotice: false,
})

/** Cache of texts without values, because a page uses the same ones in every rendering. */
const plain = new Map<string, string>()

/** Adds a catalogue. Called by `<noun>.texts.ts`, which must be imported before its texts are used. */
export function addTexts<N extends keyof Late>(name: N, texts: Late[N]): void {
  catalogue.addResourceBundle('en', name, texts)
  plain.clear()
}

const translate = catalogue.t as (key: string, values?: Values) => string

/** Returns the text for `key`. `count` selects the plural form. */
export function t(key: TextKey, values?: Values): string {
  if (values !== undefined) return translate(key, values)
  let text = plain.get(key)
  if (text === undefined) {
    text = translate(key)
    plain.set(key, text)
  }
  return text
}

/** Returns the text for a key made at run time (`users:role.${role}`), or `fallback` if there is none. */
export const tMaybe = (key: string, fallback: string, values?: Values): string =>
  catalogue.exists(key) ? translate(key, values) : fallback

/**
 * Returns the text for `key` with elements in place of its `{{names}}`: `tNode('users:delete.body', { name:
 * <b>…</b> })`.
 */
export function tNode(key: TextKey, values: Readonly<Record<string, ReactNode>>): ReactNode {
  const given: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(values)) {
    given[name] = typeof value === 'string' || typeof value === 'number' ? value : `\u0001${name}\u0001`
  }
  const parts = translate(key, given).split('\u0001')
  // Every odd part is the name of an element.
  return parts.map((part, index) =>
    createElement(Fragment, { key: index }, index % 2 === 1 ? values[part] : part),
  )
}
