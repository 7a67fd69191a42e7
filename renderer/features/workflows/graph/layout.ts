import { branchesOf, type EditStep } from '../steps/steps.ts'

/** Size of a node, in pixels. */
export const nodeWidth = 168
export const nodeHeight = 46
const columnGap = 20
const rowGap = 34
/** Width of an empty branch, in pixels, so that there is space for its edge. */
const emptyWidth = 72

type GraphNode = { readonly step: EditStep; readonly x: number; readonly y: number }
type GraphEdge = {
  readonly from: string
  readonly to: string
  readonly label: 'then' | 'else' | null
}
type Graph = { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] }

/** The start of an edge whose end is not placed yet. */
type EdgeStart = { readonly uid: string; readonly label: GraphEdge['label'] }
type Steps = readonly EditStep[]

/**
 * Returns the lists that are laid out side by side: branches of a condition, or each step of a parallel step.
 */
const columnsOf = (step: EditStep): readonly Steps[] =>
  step.type === 'parallel'
    ? (step.steps ?? []).map((inner) => [inner])
    : branchesOf(step).map((branch) => step[branch] ?? [])

const widthOfList = (list: Steps): number => (list.length === 0 ? emptyWidth : Math.max(...list.map(widthOf)))
function widthOf(step: EditStep): number {
  const columns = columnsOf(step)
  const inner =
    columns.reduce((sum, column) => sum + widthOfList(column), 0) +
    columnGap * Math.max(0, columns.length - 1)
  return Math.max(nodeWidth, inner)
}
const heightOfList = (list: Steps): number =>
  list.reduce((sum, step) => sum + heightOf(step), 0) + rowGap * Math.max(0, list.length - 1)
function heightOf(step: EditStep): number {
  const columns = columnsOf(step)
  const inner = Math.max(0, ...columns.map(heightOfList))
  return inner === 0 ? nodeHeight : nodeHeight + rowGap + inner
}

/**
 * Lays out the steps from top to bottom; parallel steps and alternative branches are side by side.
 * Coordinates are in pixels.
 */
export function layoutGraph(steps: Steps): Graph {
  const nodes: GraphNode[] = []
  const edges: GraphEdge[] = []
  /**
   * Places a list around `center`. `entries` are the starts of the edges into it. Returns the starts of the
   * edges out of it.
   */
  const placeList = (
    steps: Steps,
    center: number,
    top: number,
    entries: readonly EdgeStart[],
  ): readonly EdgeStart[] => {
    let y = top
    let exits = entries
    for (const step of steps) {
      exits = placeStep(step, center, y, exits)
      y += heightOf(step) + rowGap
    }
    return exits
  }
  const placeStep = (
    step: EditStep,
    center: number,
    y: number,
    entries: readonly EdgeStart[],
  ): readonly EdgeStart[] => {
    nodes.push({ step, x: center - nodeWidth / 2, y })
    for (const { uid, label } of entries) edges.push({ from: uid, to: step.uid, label })
    const columns = columnsOf(step)
    if (columns.length === 0) return [{ uid: step.uid, label: null }]
    const total =
      columns.reduce((sum, column) => sum + widthOfList(column), 0) + columnGap * (columns.length - 1)
    let left = center - total / 2
    return columns.flatMap((column, index) => {
      const width = widthOfList(column)
      const label = step.type === 'condition' ? (index === 0 ? 'then' : 'else') : null
      const exits = placeList(column, left + width / 2, y + nodeHeight + rowGap, [{ uid: step.uid, label }])
      left += width + columnGap
      return exits
    })
  }
  placeList(steps, 0, 0, [])
  return { nodes, edges }
}
