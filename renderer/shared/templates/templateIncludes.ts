import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { Decoration, EditorView } from '@codemirror/view'
import { includePattern, includesIn, includeText } from '../../../contract/formats/includes.ts'
import { insertClosed, markMatches } from './templateVariables.ts'

/** State of an include: its prompt is served, is not, or is not known yet. */
export type IncludeState = 'served' | 'missing' | 'unknown'

/** The prompts that a template may include. */
export type IncludeSupport = {
  /** States by the text of the include, such as `{{> footer@v3}}`. */
  readonly states: ReadonlyMap<string, IncludeState>
  /** Returns the keys to offer for a typed text. */
  readonly suggest: (typed: string) => Promise<readonly string[]>
  readonly open: (key: string) => void
  /** Accessible description of an include in the text. */
  readonly titleOf: (text: string, state: IncludeState) => string
}

/** Marks each `{{> key}}`, by whether its prompt is served. */
export const markIncludes = ({ states, titleOf }: IncludeSupport): Extension =>
  // A copy, because the position of a global pattern is part of it.
  markMatches(new RegExp(includePattern), ([text]) => {
    const [include] = includesIn([text])
    if (include === undefined) return null
    const state = states.get(includeText(include)) ?? 'unknown'
    return Decoration.mark({
      class: 'cm-include',
      attributes: { 'data-state': state, 'data-key': include.key, title: titleOf(text, state) },
    })
  })

/** Opens the included prompt on a click with Ctrl or ⌘. */
export const openIncludeOnClick = (open: (key: string) => void): Extension =>
  EditorView.domEventHandlers({
    mousedown(event) {
      if (!(event.ctrlKey || event.metaKey) || !(event.target instanceof Element)) return false
      const key = event.target.closest('.cm-include')?.getAttribute('data-key')
      if (key == null) return false
      event.preventDefault()
      open(key)
      return true
    },
  })

/** Offers keys of prompts after `{{>`. */
export const completeIncludes =
  (suggest: IncludeSupport['suggest']) =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(/\{\{>[^{}\n@]*/)
    if (typed === null) return null
    const key = typed.text.slice('{{>'.length)
    const keys = await suggest(key.trim())
    if (context.aborted) return null
    return {
      from: context.pos - key.trimStart().length,
      options: keys.map((name) => ({
        label: name,
        apply: insertClosed(key.startsWith(' ') ? name : ` ${name}`),
      })),
      filter: false,
    }
  }
