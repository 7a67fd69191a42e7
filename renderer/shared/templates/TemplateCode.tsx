import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef } from 'react'
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

/** Marks a change that displays a new value. */
const isDisplay = Annotation.define<boolean>()

/** Returns the text as the editor has it, which ends each line with a line feed. */
const editorText = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Returns the text of the editor with the line breaks of `before`, unless these are mixed. */
const withLineBreaksOf = (before: string, text: string): string =>
  before.includes('\n') && !/(?<!\r)\n|\r(?!\n)/.test(before) ? text.replaceAll('\n', '\r\n') : text

/** Reports what the user edits. The display of a new value is no edit, although line breaks may differ. */
const reportEdits = (latest: RefObject<TemplateEditorProps>) =>
  EditorView.updateListener.of(({ docChanged, state, transactions }) => {
    if (!docChanged || transactions.some((each) => each.annotation(isDisplay))) return
    const { value, onChange } = latest.current
    onChange(withLineBreaksOf(value, state.doc.toString()))
  })

function display(view: EditorView, value: string): void {
  const before = view.state.doc.toString()
  const after = editorText(value)
  if (before !== after) view.dispatch({ changes: changeTo(before, after), annotations: isDisplay.of(true) })
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
          reportEdits(latest),
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
    if (view.current !== null) display(view.current, value)
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
