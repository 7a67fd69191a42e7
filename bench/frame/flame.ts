import type { Profile } from './probe.ts'

/** A function in the call tree with the samples in it and in what it calls. */
type Frame = {
  readonly name: string
  readonly self: number
  readonly children: readonly Frame[]
  readonly total: number
}

const width = 1600
const rowHeight = 17
/** Minimum width of a frame in pixels; narrower ones are left out. */
const minWidth = 0.5

/** Draws a processor profile of V8 as an SVG flame graph. Tooltips have function, file, line and share. */
export function flameGraph(profile: Profile, title: string): string {
  const root = treeOf(profile)
  const rows = depthOf(root)
  const height = (rows + 2) * rowHeight
  const frames = [...draw(root, 0, 0, root.total)]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="4" y="13">${escapeXml(title)}: ${root.total} samples</text>`,
    ...frames,
    '</svg>',
    '',
  ].join('\n')
}

/** Returns the functions with the most samples of their own, largest first. */
export function topFunctions(
  profile: Profile,
  count: number,
): { readonly name: string; readonly share: number }[] {
  const self = new Map<string, number>()
  const root = treeOf(profile)
  const visit = (frame: Frame) => {
    self.set(frame.name, (self.get(frame.name) ?? 0) + frame.self)
    frame.children.forEach(visit)
  }
  visit(root)
  return [...self]
    .map(([name, samples]) => ({ name, share: samples / root.total }))
    .sort((a, b) => b.share - a.share)
    .slice(0, count)
}

type Node = Profile['nodes'][number]

function treeOf({ nodes, samples = [] }: Profile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const hits = new Map<number, number>()
  for (const id of samples) hits.set(id, (hits.get(id) ?? 0) + 1)
  const toFrame = (node: Node): Frame => {
    const children = (node.children ?? []).flatMap((id) => {
      const child = byId.get(id)
      // Idle time is not processor time.
      return child === undefined || child.callFrame.functionName === '(idle)' ? [] : [toFrame(child)]
    })
    const self = hits.get(node.id) ?? 0
    return {
      name: nameOf(node),
      self,
      children,
      total: children.reduce((sum, { total }) => sum + total, self),
    }
  }
  const [root] = nodes
  if (root === undefined) throw new Error('the profile is empty')
  return toFrame(root)
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const file = url.split('/').at(-1) ?? ''
  return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
}

const depthOf = ({ children }: Frame): number => 1 + Math.max(0, ...children.map(depthOf))

function* draw(frame: Frame, depth: number, x: number, all: number): Generator<string> {
  const frameWidth = (frame.total / all) * width
  if (frameWidth < minWidth) return
  const y = (depth + 1) * rowHeight
  const share = ((frame.total / all) * 100).toFixed(1)
  const text = frame.name.slice(0, Math.floor(frameWidth / 6.7))
  yield `<g><title>${escapeXml(frame.name)} (${share} %)</title><rect x="${x.toFixed(1)}" y="${y}" width="${frameWidth.toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(frame.name)}"/>`
  yield `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escapeXml(text)}</text></g>`
  let childX = x
  for (const child of frame.children) {
    yield* draw(child, depth + 1, childX, all)
    childX += (child.total / all) * width
  }
}

/** Returns the same warm colour for the same name. */
function colourOf(name: string): string {
  let hash = 0
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1000
  return `hsl(${hash % 55} 85% ${65 + (hash % 15)}%)`
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
