import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, type } from 'node:os'
import { type Figure, median, showGoal, showMedian, showSpread } from './figure.ts'

/** The figures of one group from one run. */
export type GroupResults = {
  readonly measuredAt: string
  readonly machine: string
  readonly node: string
  /** Load average of the machine before the first measurement. */
  readonly load: number
  readonly isQuick: boolean
  readonly figures: readonly Figure[]
}

/** The newest figures of each group by its name. */
export type Results = Readonly<Record<string, GroupResults>>

export const describeRun = (isQuick: boolean): Omit<GroupResults, 'figures'> => ({
  measuredAt: new Date().toISOString(),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${type()}`,
  node: process.version,
  load: Number((loadavg()[0] ?? 0).toFixed(1)),
  isQuick,
})

/** The fields of a figure in the order of a row of the file. Optional ones are last. */
const fields = ['name', 'against', 'unit', 'better', 'values', 'goal', 'detail'] as const

type FileResults = Readonly<Record<string, Omit<GroupResults, 'figures'> & { readonly figures: unknown[][] }>>

export const readResults = (file: string): Results => parseResults(readFileSync(file, 'utf8'))

/** Adds the results to a file, in which groups that did not run keep theirs. Returns all of them, rounded as in the file. */
export function writeResults(file: string, results: Results): Results {
  const all = Object.entries({ ...readEarlier(file), ...results }).map(([group, { figures, ...run }]) => [
    group,
    { ...run, figures: figures.map((figure) => fields.map((field) => figure[field])) },
  ])
  // A figure per line, so that changes between two runs are readable.
  const text = JSON.stringify(Object.fromEntries(all), rounded)
    .replaceAll(/(,null)+\]/g, ']')
    .replaceAll('["', '\n["')
  writeFileSync(file, `${text}\n`)
  return parseResults(text)
}

function parseResults(text: string): Results {
  const found: FileResults = JSON.parse(text)
  const figureOf = (row: unknown[]) =>
    // This program wrote the row.
    Object.fromEntries(fields.map((field, n) => [field, row[n] ?? undefined])) as unknown as Figure
  return Object.fromEntries(
    Object.entries(found).map(([group, run]) => [group, { ...run, figures: run.figures.map(figureOf) }]),
  )
}

/** Rounds to four digits, more than a measurement has. */
const rounded = (_name: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value

function readEarlier(file: string): Results {
  try {
    return readResults(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}

const describe = ({ measuredAt, machine, node, load, isQuick }: GroupResults): string =>
  `Measured on ${measuredAt.slice(0, 10)}, ${machine}, Node ${node.slice(1)}, load average ${load}${isQuick ? ', `--quick`' : ''}.`

const cell = (figure: Figure | undefined): string => {
  if (figure === undefined) return ''
  const goal = showGoal(figure)
  return `${showMedian(figure)} (${showSpread(figure)})${goal && `, goal ${goal}`}`
}

/** Returns a table with a row per name of a figure and a column for each kind of comparison. */
function tableOf(figures: readonly Figure[]): string[] {
  const comparisons = [...new Set(figures.map(({ against }) => against))]
  const head = ['figure', ...comparisons.map((against) => `against ${against}`), 'on this machine']
  const rows = [...new Set(figures.map(({ name }) => name))].map((name) => {
    const ofName = figures.filter((figure) => figure.name === name)
    return [
      name,
      ...comparisons.map((against) => cell(ofName.find((figure) => figure.against === against))),
      ofName.flatMap(({ detail }) => detail ?? []).join('; '),
    ]
  })
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

/** Returns a section with a table for each group. */
export const toMarkdown = (results: Results): string =>
  Object.entries(results)
    .map(([group, run]) => [`### ${group}`, '', describe(run), '', ...tableOf(run.figures)].join('\n'))
    .join('\n\n')

const [begin, end] = ['<!-- figures: written by npm run bench -->', '<!-- end of figures -->']

/** Replaces the text between the markers of a document. Throws if it has none. */
export function replaceFigures(document: string, markdown: string): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`the document has no "${begin}"`)
  return `${document.slice(0, from + begin.length)}\n\n${markdown}\n\n${document.slice(to)}`
}

/** Changes of the median smaller than this are noise, even if the spreads do not overlap. */
const noise = 0.05

/** Returns a line for each figure that was also measured earlier, those that got worse first. */
export function compare(earlier: Results, later: Results): string[] {
  const before = new Map(figuresOf(earlier).map(({ key, figure }) => [key, figure]))
  return figuresOf(later)
    .flatMap(({ group, key, figure }) => {
      const base = before.get(key)
      return base === undefined ? [] : [{ group, base, figure, gain: gainOf(base, figure) }]
    })
    .sort((a, b) => a.gain - b.gain)
    .map(
      ({ group, base, figure, gain }) =>
        `${verdict(base, figure, gain).padEnd(9)} ${group}: ${figure.name} (${figure.against}): ${showMedian(base)} → ${showMedian(figure)}`,
    )
}

const figuresOf = (results: Results) =>
  Object.entries(results).flatMap(([group, { figures }]) =>
    figures.map((figure) => ({
      group,
      figure,
      key: [group, figure.name, figure.against, figure.unit].join('|'),
    })),
  )

/** Returns how much better the later figure is: 0.1 for 10 %, negative if it is worse. */
function gainOf(base: Figure, figure: Figure): number {
  const [before, now] = [median(base.values), median(figure.values)]
  // A difference can be 0 or less, which has no ratio.
  if (before <= 0 || now <= 0) return Math.sign(now - before) * (figure.better === 'higher' ? 1 : -1)
  const change = now / before
  return (figure.better === 'higher' ? change : 1 / change) - 1
}

/** A change counts only if the spreads of the two runs do not overlap. */
function verdict(base: Figure, figure: Figure, gain: number): string {
  const overlaps =
    Math.min(...figure.values) <= Math.max(...base.values) &&
    Math.min(...base.values) <= Math.max(...figure.values)
  if (overlaps || Math.abs(gain) < noise) return 'the same'
  return gain < 0 ? 'WORSE' : 'better'
}
