import { branchesOf, type EditStep } from '../steps/steps.ts'

/** Size of a node, in pixels. */
export const nodeWidth = 168
export const nodeHeight = 46
const across = 20
const down = 34
/** Width of an empty branch, in pixels, so that its edge has space. */
const emptyWidth = 72

type GraphNode = { readonly step: EditStep; readonly x: number; readonly y: number }
type GraphEdge = {
  readonly from: string
  readonly to: string
  readonly label: 'then' | 'else' | null
}
type Graph = { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] }

type Exit = { readonly uid: string; readonly label: GraphEdge['label'] }
type List = readonly EditStep[]

/**
 * Returns the lists that are laid out side by side: branches of a condition, or each step of a parallel step.
 */
const lanesOf = (step: EditStep): readonly List[] =>
  step.type === 'parallel'
    ? (step.steps ?? []).map((inner) => [inner])
    : branchesOf(step).map((branch) => step[branch] ?? [])

const widthOfList = (list: List): number => (list.length === 0 ? emptyWidth : Math.max(...list.map(widthOf)))
function widthOf(step: EditStep): number {
  const lanes = lanesOf(step)
  const inner =
    lanes.reduce((sum, lane) => sum + widthOfList(lane), 0) + across * Math.max(0, lanes.length - 1)
  return Math.max(nodeWidth, inner)
}
const heightOfList = (list: List): number =>
  list.reduce((sum, step) => sum + heightOf(step), 0) + down * Math.max(0, list.length - 1)
function heightOf(step: EditStep): number {
  const lanes = lanesOf(step)
  const inner = Math.max(0, ...lanes.map(heightOfList))
  return inner === 0 ? nodeHeight : nodeHeight + down + inner
}

/**
 * Lays out the steps from top to bottom; parallel steps and alternative branches are side by side. Pixels.
 */
export function layoutGraph(steps: List): Graph {
  const nodes: GraphNode[] = []
  const edges: GraphEdge[] = []
  /**
   * Places a list around `center`. `entries` are the steps with an edge into it; returns those with an edge
   * out of it.
   */
  const list = (steps: List, center: number, top: number, entries: readonly Exit[]): readonly Exit[] => {
    let y = top
    let exits = entries
    for (const step of steps) {
      exits = one(step, center, y, exits)
      y += heightOf(step) + down
    }
    return exits
  }
  const one = (step: EditStep, center: number, y: number, entries: readonly Exit[]): readonly Exit[] => {
    nodes.push({ step, x: center - nodeWidth / 2, y })
    for (const { uid, label } of entries) edges.push({ from: uid, to: step.uid, label })
    const lanes = lanesOf(step)
    if (lanes.length === 0) return [{ uid: step.uid, label: null }]
    const total = lanes.reduce((sum, lane) => sum + widthOfList(lane), 0) + across * (lanes.length - 1)
    let left = center - total / 2
    return lanes.flatMap((lane, index) => {
      const width = widthOfList(lane)
      const label = step.type === 'condition' ? (index === 0 ? 'then' : 'else') : null
      const out = list(lane, left + width / 2, y + nodeHeight + down, [{ uid: step.uid, label }])
      left += width + across
      return out
    })
  }
  list(steps, 0, 0, [])
  return { nodes, edges }
}
