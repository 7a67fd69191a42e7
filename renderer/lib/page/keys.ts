import { useEffect, useRef } from 'react'
import { createStore, useStore } from '../state/store.ts'

/** A keyboard shortcut: `n`, `/`, `Escape`, `mod+k`, or two keys in sequence: `g r`. */
export type KeyBinding = {
  readonly keys: string
  /** Text in the list of keys (`?`). A binding without it is not listed. */
  readonly label?: string
  /** Omitted if the page handles the key elsewhere. The binding is then only listed. */
  readonly run?: () => void
}

type Entry = {
  readonly keys: string
  readonly label: string | undefined
  readonly run: (() => void) | undefined
}

/**
 * Active bindings. The newest binding of a key wins, so the arrow keys of a drawer win over those of the
 * table.
 */
const bindings = createStore<readonly Entry[]>([])
/** Longest time between the two keys of a sequence, in milliseconds. */
const sequenceMs = 900
let firstKey: { readonly key: string; readonly at: number } | null = null

const typingFieldOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof HTMLElement &&
  target.closest(
    'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], .cm-editor',
  ) !== null
    ? target
    : null

const overlays =
  '[aria-modal="true"], .mantine-Popover-dropdown, .mantine-Menu-dropdown, .mantine-Combobox-dropdown:not([hidden])'

/** True for the arrow keys in a group of radio buttons, which select another one. */
const isRadioKey = ({ target, key }: KeyboardEvent): boolean =>
  target instanceof HTMLInputElement && target.type === 'radio' && key.startsWith('Arrow')

/**
 * True if a dialog, menu or popover is open, because its own keys apply then. A select keeps its closed list
 * in the document, so visibility is checked.
 */
const hasOverlay = (): boolean =>
  [...document.querySelectorAll(overlays)].some((overlay) => overlay.checkVisibility())

function keyOf(event: KeyboardEvent): string {
  const modifier = event.metaKey || event.ctrlKey ? 'mod+' : event.altKey ? 'alt+' : ''
  return modifier + (event.key.length === 1 && modifier !== '' ? event.key.toLowerCase() : event.key)
}

function find(keys: string): Entry | undefined {
  return bindings.get().findLast((entry) => entry.keys === keys && entry.run !== undefined)
}

/**
 * Submits the form of the focused element, or of the topmost dialog. Returns false if there is no form. A
 * form that is sending, or that cannot be sent yet, is left alone.
 */
function submitForm(target: EventTarget | null): boolean {
  const dialogs = document.querySelectorAll('[role="dialog"][aria-modal="true"]')
  const form =
    (target instanceof Element ? target.closest('form') : null) ??
    dialogs.item(dialogs.length - 1)?.querySelector('form')
  if (form === null || form === undefined) return false
  const button = form.querySelector<HTMLButtonElement>('button[type="submit"]')
  if (button === null) form.requestSubmit()
  else if (!button.disabled && button.getAttribute('aria-disabled') !== 'true') form.requestSubmit(button)
  return true
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented) return
  const key = keyOf(event)
  if (key === 'mod+Enter' && submitForm(event.target)) {
    event.preventDefault()
    event.stopPropagation()
  } else handleKey(event, key)
}

function handleKey(event: KeyboardEvent, key: string): void {
  const field = typingFieldOf(event.target)
  if (field !== null && !key.startsWith('mod+')) {
    if (key === 'Escape' && !hasOverlay()) field.blur()
    return
  }
  if (hasOverlay() || isRadioKey(event)) return
  // The time of the key press. This handler may run later if the page is busy.
  const at = event.timeStamp
  const sequence = firstKey !== null && at - firstKey.at < sequenceMs ? `${firstKey.key} ${key}` : null
  firstKey = null
  const found = (sequence === null ? undefined : find(sequence)) ?? find(key)
  if (found !== undefined) {
    event.preventDefault()
    found.run?.()
    return
  }
  if (bindings.get().some((entry) => entry.keys.startsWith(`${key} `))) firstKey = { key, at }
}

// In the capture phase, and registered before any dialog exists, so that it runs before Escape closes one.
window.addEventListener('keydown', onKeyDown, { capture: true })

/**
 * Binds keys while the component is mounted. Calls the newest `run`; binds again only if `keys` or `label`
 * change.
 */
export function useKeys(requested: readonly KeyBinding[]): void {
  const latest = useRef(requested)
  useEffect(() => {
    latest.current = requested
  })
  const shape = requested.map(({ keys, label }) => `${keys}\t${label ?? ''}`).join('\n')
  useEffect(() => {
    const entries = latest.current.map(
      (binding, index): Entry => ({
        keys: binding.keys,
        label: binding.label,
        run: binding.run && (() => latest.current[index]?.run?.()),
      }),
    )
    if (shape !== '') bindings.set([...bindings.get(), ...entries])
    return () => bindings.set(bindings.get().filter((entry) => !entries.includes(entry)))
  }, [shape])
}

/** Returns the active bindings that have a label, newest first, each key once. */
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
