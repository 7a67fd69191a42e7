import type { SourceFile } from '../support/source-tree.ts'

const folder = 'docs/adr/'
const sections = ['Context', 'Decision', 'Alternatives', 'Consequences']
/** About one printed page. */
const pageLines = 60

const lines = (text: string): number => text.replace(/\n$/, '').split('\n').length

function problemsOf({ path, text }: SourceFile, number: number): readonly string[] {
  const name = path.slice(folder.length)
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  const checks: readonly (readonly [boolean, string])[] = [
    [name.startsWith(`${String(number).padStart(4, '0')}-`), `the next number is ${number}`],
    [text.startsWith(`# ${number}. `), `the title begins with "${number}. "`],
    [/^Date: \d{4}-\d\d-\d\d · Status: \w/m.test(text), 'no date and status'],
    [headings.join() === sections.join(), `the sections are ${sections.join(', ')}`],
    [lines(text) <= pageLines, `${lines(text)} lines, at most ${pageLines}`],
  ]
  return checks.filter(([isRight]) => !isRight).map(([, problem]) => `${path}: ${problem}`)
}

/**
 * Returns the violations of the form of architecture decision records, and the records that are missing from
 * the index.
 */
export function badDecisions(files: readonly SourceFile[], index: string): readonly string[] {
  const records = files
    .filter(({ path }) => path.startsWith(folder))
    .toSorted((a, b) => a.path.localeCompare(b.path))
  const missing = records
    .filter(({ path }) => !index.includes(`(${path.slice('docs/'.length)})`))
    .map(({ path }) => `${path}: not in the index`)
  return [...records.flatMap((record, position) => problemsOf(record, position + 1)), ...missing]
}
