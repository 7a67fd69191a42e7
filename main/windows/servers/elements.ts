import type { Problem } from '../../servers/failures.ts'
import type { FlowAction } from '../../servers/flow.ts'
import { type Html, html } from './html.ts'

type ButtonOptions = {
  readonly isFirst?: boolean
  /** Skips the checks of required fields. */
  readonly isCancel?: boolean
  readonly hasFocus?: boolean
  readonly label?: string
}

/** A button that sends its form with this action to the app. */
export const button = (action: FlowAction, text: string, options: ButtonOptions = {}): Html =>
  html`<button type="submit" name="action" value="${action}"${options.isFirst === true && html` class="first"`}${
    options.isCancel === true && html` formnovalidate`
  }${options.hasFocus === true && html` autofocus`}${options.label !== undefined && html` aria-label="${options.label}"`}>${text}</button>`

type FieldOptions = {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly help?: string
  readonly error?: string | undefined
  readonly type?: 'text' | 'password'
  readonly autocomplete?: string
  readonly maxLength: number
  readonly hasFocus?: boolean
}

export function field(options: FieldOptions): Html {
  const { name, label, value = '', help, error, type = 'text', autocomplete = 'off', maxLength } = options
  const described = [help !== undefined && `${name}-help`, error !== undefined && `${name}-error`]
  const ids = described.filter((id) => id !== false).join(' ')
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" maxlength="${maxLength}" autocomplete="${autocomplete}"
 autocapitalize="none" spellcheck="false"${ids !== '' && html` aria-describedby="${ids}"`}${
   error !== undefined && html` aria-invalid="true"`
 }${options.hasFocus === true && html` autofocus`}>
${help !== undefined && html`<p class="help" id="${name}-help">${help}</p>`}
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}</div>`
}

export const alert = (problem: Problem | null): Html | null =>
  problem === null
    ? null
    : html`<div class="problem" role="alert"><p>${problem.message}</p>${
        problem.remedy !== '' && html`<p>${problem.remedy}</p>`
      }</div>`

export const wordList = (words: readonly string[], label: string): Html =>
  html`<ol class="words" aria-label="${label}">${words.map((word) => html`<li>${word}</li>`)}</ol>`
