import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import styles from './TemplateCode.module.css'
import {
  completeIncludes,
  type IncludeSupport,
  markIncludes,
  openIncludeOnClick,
} from './templateIncludes.ts'
import { completeVariables, markVariables } from './templateVariables.ts'

/** Functions of the editor for a toolbar beside it. */
export type TemplateHandle = { readonly focus: () => void; readonly find: () => void }

export type TemplateEditorProps = {
  readonly value: string
  readonly onChange: (next: string) => void
  /** Accessible name of the editor. */
  readonly label: string
  /** Names that autocompletion offers while a variable is typed. */
  readonly suggestions: readonly string[]
  /** Declared variables, which are marked differently from others. */
  readonly declared: readonly string[]
  readonly isWrapped?: boolean
  readonly isReadOnly?: boolean
  readonly hint?: string
  /** `json` has no variables to mark or offer. */
  readonly language?: 'template' | 'json'
  /** True in a workflow: names may then contain `-`, as step ids do. */
  readonly isWorkflow?: boolean
  /** True for an editor in a form: without line numbers, and as high as its text. */
  readonly isCompact?: boolean
  /** Marks and offers includes of other prompts. Whether it is set must not change. */
  readonly includes?: IncludeSupport
  readonly ref?: Ref<TemplateHandle>
}

/**
 * Returns the smallest change that turns one text into the other, so that cursor and scroll position stay.
 */
function changeTo(before: string, after: string) {
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start += 1
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

/** CodeMirror with line numbers, search, wrapping and marked variables. Tab leaves it, as in any field. */
export function TemplateCode(props: TemplateEditorProps) {
  const { value, label, declared, isWrapped = true, isReadOnly = false, hint = '' } = props
  const isTemplate = props.language !== 'json'
  const { isWorkflow = false, isCompact = false } = props
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const compartments = useRef({
    marks: new Compartment(),
    includes: new Compartment(),
    wrap: new Compartment(),
    state: new Compartment(),
  })
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })

  useImperativeHandle(props.ref, () => ({
    focus: () => view.current?.focus(),
    find: () => view.current !== null && openSearchPanel(view.current),
  }))

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once; later changes are applied below
  useEffect(() => {
    if (container.current === null) return
    const { marks, includes, wrap, state } = compartments.current
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          isCompact ? [] : lineNumbers(),
          history(),
          drawSelection(),
          search({ top: true }),
          highlightSelectionMatches(),
          isTemplate
            ? autocompletion({
                override: [
                  completeVariables(() => latest.current.suggestions, isWorkflow),
                  completeIncludes(async (typed) => (await latest.current.includes?.suggest(typed)) ?? []),
                ],
                icons: false,
                activateOnTyping: true,
              })
            : [],
          placeholder(hint),
          keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({
            'aria-label': label,
            spellcheck: String(isTemplate),
            ...(isTemplate && { dir: 'auto' }),
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString())
          }),
          openIncludeOnClick((key) => latest.current.includes?.open(key)),
          marks.of([]),
          includes.of([]),
          wrap.of([]),
          state.of([]),
        ],
      }),
    })
    view.current = editor
    return () => {
      view.current = null
      editor.destroy()
    }
  }, [])

  useEffect(() => {
    const before = view.current?.state.doc.toString()
    if (before !== undefined && before !== value) view.current?.dispatch({ changes: changeTo(before, value) })
  }, [value])
  const declaredText = declared.join('\n')
  useEffect(() => {
    if (!isTemplate) return
    const names = new Set(declaredText.split('\n'))
    const marks = markVariables(names, isWorkflow)
    view.current?.dispatch({ effects: compartments.current.marks.reconfigure(marks) })
  }, [declaredText, isTemplate, isWorkflow])
  const { includes } = props
  useEffect(() => {
    const marks = includes === undefined ? [] : markIncludes(includes)
    view.current?.dispatch({ effects: compartments.current.includes.reconfigure(marks) })
  }, [includes])
  useEffect(() => {
    const { wrap, state } = compartments.current
    view.current?.dispatch({
      effects: [
        wrap.reconfigure(isWrapped ? EditorView.lineWrapping : []),
        state.reconfigure([EditorState.readOnly.of(isReadOnly)]),
      ],
    })
  }, [isWrapped, isReadOnly])

  return (
    <div
      ref={container}
      className={styles['editor']}
      data-compact={isCompact || undefined}
      data-testid="template"
    />
  )
}
