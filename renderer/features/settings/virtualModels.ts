import { type VirtualModel, VirtualModels } from '../../../contract/gateway/virtual-models.ts'

/** Returns virtual models as text, one in a line: `fast = openai/gpt-4o-mini, claude/claude-haiku-4-5 (20 s)`. */
export const textOfModels = (models: readonly VirtualModel[]): string =>
  models
    .map(({ name, targets, timeout_ms: timeout }) => {
      const list = targets.map(({ provider, model }) => `${provider}/${model}`).join(', ')
      return `${name} = ${list}${timeout === null ? '' : ` (${timeout / 1000} s)`}`
    })
    .join('\n')

const linePattern = /^([^=]+)=(.*?)(?:\((\d{1,3}(?:\.\d{1,3})?) ?s\))?$/

function modelOf(line: string): VirtualModel | null {
  const [, name = '', list = '', seconds] = linePattern.exec(line) ?? []
  const targets = list.split(',').map((target) => {
    // Names of models may contain the sign.
    const at = target.indexOf('/')
    return { provider: target.slice(0, Math.max(0, at)).trim(), model: target.slice(at + 1).trim() }
  })
  const timeout_ms = seconds === undefined ? null : Math.round(Number(seconds) * 1000)
  return name === '' ? null : { name: name.trim(), targets, timeout_ms }
}

/** Parses the text. Returns the number of the first line that is not valid, from 1, if there is one. */
export function modelsOfText(text: string): { readonly models: VirtualModel[] } | { readonly line: number } {
  const models: VirtualModel[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const model = modelOf(line.trim())
    const isValid = model !== null && VirtualModels.safeParse([...models, model]).success
    if (!isValid) return { line: index + 1 }
    models.push(model)
  }
  return { models }
}
