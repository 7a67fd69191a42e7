/** True on macOS and iOS, where the command key takes the place of Ctrl. */
const isApple = /mac|iphone|ipad/i.test(navigator.platform)

const symbols: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  Enter: isApple ? '↵' : 'Enter',
}

const nameOf = (key: string): string => symbols[key] ?? key

/** Returns the label of a key as on this machine's keyboard: `mod+k` is `⌘K` on macOS, elsewhere `Ctrl K`. */
export function keyLabel(key: string): string {
  if (!key.startsWith('mod+')) return nameOf(key)
  const name = nameOf(key.slice('mod+'.length))
  const displayed = name.length === 1 ? name.toUpperCase() : name
  return isApple ? `⌘${displayed}` : `Ctrl ${displayed}`
}
