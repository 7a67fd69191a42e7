import type { ReactNode } from 'react'
import { createElement, Fragment } from 'react'
import common from '../locales/en/common.json'
import resources from '../locales/en/resources.json'
import shell from '../locales/en/shell.json'
import { once } from './format/intl.ts'

const english = { common, resources, shell }
/** Catalogues that pages add with `addTexts` when they load. */
type PageCatalogues = {
  agents: typeof import('../locales/en/agents.json')
  alerts: typeof import('../locales/en/alerts.json')
  audit: typeof import('../locales/en/audit.json')
  clients: typeof import('../locales/en/clients.json')
  connect: typeof import('../locales/en/connect.json')
  definition: typeof import('../locales/en/definition.json')
  desktop: typeof import('../locales/en/desktop.json')
  devices: typeof import('../locales/en/devices.json')
  first_run: typeof import('../locales/en/first_run.json')
  latest_runs: typeof import('../locales/en/latest_runs.json')
  login: typeof import('../locales/en/login.json')
  model: typeof import('../locales/en/model.json')
  overview: typeof import('../locales/en/overview.json')
  palette: typeof import('../locales/en/palette.json')
  pair: typeof import('../locales/en/pair.json')
  pairing: typeof import('../locales/en/pairing.json')
  playground: typeof import('../locales/en/playground.json')
  profile: typeof import('../locales/en/profile.json')
  prompt: typeof import('../locales/en/prompt.json')
  prompts: typeof import('../locales/en/prompts.json')
  providers: typeof import('../locales/en/providers.json')
  run_content: typeof import('../locales/en/run_content.json')
  runs: typeof import('../locales/en/runs.json')
  settings: typeof import('../locales/en/settings.json')
  statistics: typeof import('../locales/en/statistics.json')
  budgets: typeof import('../locales/en/budgets.json')
  tokens: typeof import('../locales/en/tokens.json')
  traces: typeof import('../locales/en/traces.json')
  transfer: typeof import('../locales/en/transfer.json')
  users: typeof import('../locales/en/users.json')
  sessions: typeof import('../locales/en/sessions.json')
  views: typeof import('../locales/en/views.json')
  workflows: typeof import('../locales/en/workflows.json')
  workspaces: typeof import('../locales/en/workspaces.json')
}
type Catalogue = typeof english & PageCatalogues

type Singular<K extends string> = K extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : K
type Leaf<T> = {
  [K in keyof T & string]: T[K] extends string ? Singular<K> : `${K}.${Leaf<T[K]>}`
}[keyof T & string]

/** Key of a text of the console, such as `users:form.username`. */
export type TextKey = { [N in keyof Catalogue & string]: `${N}:${Leaf<Catalogue[N]>}` }[keyof Catalogue &
  string]

type Values = Readonly<Record<string, string | number>>

/** A catalogue: texts, or groups of texts, by name. */
type Texts = { readonly [name: string]: string | Texts }

/** The texts of all loaded catalogues by key. Plural forms end with `_zero`, `_one` or `_other`, as in i18next. */
const texts = new Map<string, string>()
const plurals = once(() => new Intl.PluralRules('en'))

function addAll(prefix: string, added: Texts): void {
  for (const [name, text] of Object.entries(added)) {
    if (typeof text === 'string') texts.set(prefix + name, text)
    else addAll(`${prefix}${name}.`, text)
  }
}
for (const [name, catalogue] of Object.entries(english)) addAll(`${name}:`, catalogue)

/** Adds a catalogue. Called by `<noun>.texts.ts`, which must be imported before its texts are used. */
export const addTexts = <N extends keyof PageCatalogues>(name: N, added: PageCatalogues[N]): void =>
  addAll(`${name}:`, added)

/** Returns the form of a text for a number; undefined if the text has no plural forms. */
const pluralOf = (key: string, count: number): string | undefined =>
  (count === 0 ? texts.get(`${key}_zero`) : undefined) ?? texts.get(`${key}_${plurals().select(count)}`)

function translate(key: string, values: Values): string {
  const { count } = values
  const plural = typeof count === 'number' ? pluralOf(key, count) : undefined
  const text = plural ?? texts.get(key) ?? key
  // One pass, so that nothing within a value is replaced.
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))
}

/** Returns the text for `key`. `count` selects the plural form. */
export const t = (key: TextKey, values: Values = {}): string => translate(key, values)

/** Returns the text for a key made at run time (`users:role.${role}`), or `fallback` if there is none. */
export const tMaybe = (key: string, fallback: string, values: Values = {}): string =>
  texts.has(key) ? translate(key, values) : fallback

/**
 * Returns the text for `key` with elements in place of its `{{names}}`: `tNode('users:delete.body', { name:
 * <b>…</b> })`.
 */
export function tNode(key: TextKey, values: Readonly<Record<string, ReactNode>>): ReactNode {
  const markers: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(values)) {
    markers[name] = typeof value === 'string' || typeof value === 'number' ? value : `\u0001${name}\u0001`
  }
  const parts = translate(key, markers).split('\u0001')
  // Parts with an odd index are names of elements.
  return parts.map((part, index) =>
    createElement(Fragment, { key: index }, index % 2 === 1 ? values[part] : part),
  )
}
