import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, MatchDecorator, ViewPlugin } from '@codemirror/view'
import { unsafeNames } from '../../../contract/formats/template.ts'

const pill = (kind: 'declared' | 'found' | 'bad') =>
  Decoration.mark({ class: 'cm-variable', attributes: { 'data-kind': kind } })
const pills = { declared: pill('declared'), found: pill('found'), bad: pill('bad') }

/** Marks each `{{variable}}`: declared ones, undeclared ones, and names that are not allowed. */
export function markVariables(declared: ReadonlySet<string>, isWorkflow: boolean): Extension {
  const pattern = isWorkflow ? /\{\{\s*([\w.-]+)\s*\}\}/g : /\{\{\s*([\w.]+)\s*\}\}/g
  return markMatches(pattern, ([, name = '']) =>
    unsafeNames([name]).length > 0 ? pills.bad : declared.has(name) ? pills.declared : pills.found,
  )
}

/** Decorates each match of a global pattern. */
export function markMatches(
  pattern: RegExp,
  decoration: (match: RegExpExecArray) => Decoration | null,
): Extension {
  const matcher = new MatchDecorator({ regexp: pattern, decoration })
  return ViewPlugin.define<{ marks: DecorationSet; update: (update: Update) => void }>(
    (view) => ({
      marks: matcher.createDeco(view),
      update(update) {
        this.marks = matcher.updateDeco(update, this.marks)
      },
    }),
    { decorations: (plugin) => plugin.marks },
  )
}
type Update = Parameters<Parameters<typeof EditorView.updateListener.of>[0]>[0]

/** Inserts the name and the closing braces, unless they already follow. */
export const insertClosed =
  (name: string) =>
  (view: EditorView, _completion: Completion, from: number, to: number): void => {
    const after = view.state.sliceDoc(to, to + 8)
    const closing = /^\s*\}\}/.exec(after)?.[0] ?? ''
    view.dispatch({
      changes: { from, to: to + closing.length, insert: `${name}}}` },
      selection: { anchor: from + name.length + 2 },
      userEvent: 'input.complete',
    })
  }

/** Offers the suggested names after two braces. */
export const completeVariables =
  (suggestions: () => readonly string[], isWorkflow: boolean) =>
  (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(isWorkflow ? /\{\{\s*[\w.-]*/ : /\{\{\s*[\w.]*/)
    if (typed === null) return null
    const typedName = /[\w.-]*$/.exec(typed.text)?.[0] ?? ''
    return {
      from: context.pos - typedName.length,
      options: suggestions().map((name) => ({ label: name, apply: insertClosed(name) })),
      validFor: isWorkflow ? /^[\w.-]*$/ : /^[\w.]*$/,
    }
  }
