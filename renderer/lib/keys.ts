import { useEffect, useRef } from 'react'
import { createStore, useStore } from './store.ts'

/** One keyboard shortcut: `n`, `/`, `Escape`, `mod+k`, or two keys in a row: `g r`. */
export type KeyBinding = {
  readonly keys: string
  /** What the list of keys (`?`) says; without it the binding is not listed. */
  readonly label?: string
  /** Left out for a key that something on the page handles itself: it is then only listed. */
  readonly run?: () => void
}

type Entry = {
  readonly keys: string
  readonly label: string | undefined
  readonly run: (() => void) | undefined
}

/** The newest binding of a key wins, so a drawer's arrows go before the table's. */
const bindings = createStore<readonly Entry[]>([])
/** How long the second key of a pair may take, in milliseconds. */
const pairMs = 900
let first: { readonly key: string; readonly at: number } | null = null

const typingIn = (target: EventTarget | null): HTMLElement | null =>
  target instanceof HTMLElement &&
  target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable="true"], .cm-editor') !==
    null
    ? target
    : null

const overlays =
  '[aria-modal="true"], .mantine-Popover-dropdown, .mantine-Menu-dropdown, .mantine-Combobox-dropdown:not([hidden])'

/** A dialog, menu or popover is on top: its own keys count, not the page's. A select keeps its closed list in the page. */
const hasOverlay = (): boolean =>
  [...document.querySelectorAll(overlays)].some((overlay) => overlay.checkVisibility())

function spelled(event: KeyboardEvent): string {
  const modifier = event.metaKey || event.ctrlKey ? 'mod+' : event.altKey ? 'alt+' : ''
  return modifier + (event.key.length === 1 && modifier !== '' ? event.key.toLowerCase() : event.key)
}

function find(keys: string): Entry | undefined {
  return bindings.get().findLast((entry) => entry.keys === keys && entry.run !== undefined)
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented) return
  const key = spelled(event)
  const field = typingIn(event.target)
  if (field !== null && !key.startsWith('mod+')) {
    if (key === 'Escape' && !hasOverlay()) field.blur()
    return
  }
  if (hasOverlay()) return
  // When it was pressed, not when a busy page came to it.
  const at = event.timeStamp
  const pair = first !== null && at - first.at < pairMs ? `${first.key} ${key}` : null
  first = null
  const found = (pair === null ? undefined : find(pair)) ?? find(key)
  if (found !== undefined) {
    event.preventDefault()
    found.run?.()
    return
  }
  if (bindings.get().some((entry) => entry.keys.startsWith(`${key} `))) first = { key, at }
}

// Capturing and registered before any dialog exists: it sees Escape before the dialog that Escape closes is gone.
window.addEventListener('keydown', onKeyDown, { capture: true })

/** Binds keys while the component is shown. The newest `run` is called; changing `keys` or `label` binds anew. */
export function useKeys(wanted: readonly KeyBinding[]): void {
  const latest = useRef(wanted)
  useEffect(() => {
    latest.current = wanted
  })
  const shape = wanted.map((one) => `${one.keys}\t${one.label ?? ''}`).join('\n')
  useEffect(() => {
    const entries = latest.current.map(
      (one, index): Entry => ({
        keys: one.keys,
        label: one.label,
        run: one.run && (() => latest.current[index]?.run?.()),
      }),
    )
    if (shape !== '') bindings.set([...bindings.get(), ...entries])
    return () => bindings.set(bindings.get().filter((entry) => !entries.includes(entry)))
  }, [shape])
}

/** What the keyboard does right now, newest first, each key once. */
export function useKeyList(): readonly { readonly keys: string; readonly label: string }[] {
  const seen = new Set<string>()
  return useStore(bindings)
    .toReversed()
    .flatMap(({ keys, label }) => {
      if (label === undefined || seen.has(keys)) return []
      seen.add(keys)
      return [{ keys, label }]
    })
}
