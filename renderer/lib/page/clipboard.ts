/**
 * Copies text; resolves to false if the browser refused. Also works on a page loaded over plain HTTP, where
 * browsers offer no clipboard API.
 */
export const copyText = (text: string): Promise<boolean> =>
  navigator.clipboard === undefined
    ? Promise.resolve(copyBySelection(text))
    : navigator.clipboard.writeText(text).then(
        () => true,
        () => copyBySelection(text),
      )

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  const before = document.activeElement
  field.value = text
  field.style.position = 'fixed'
  field.style.opacity = '0'
  document.body.append(field)
  field.select()
  // Deprecated, but the only way without a secure context.
  const isCopied = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return isCopied
}
