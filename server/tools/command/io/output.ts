import type { CommandContext } from './command-context.ts'
import { printable } from './failure.ts'

/** Prints data: as JSON with `--json`, else as lines for a person. */
export function show(
  { out }: Pick<CommandContext, 'out'>,
  options: { readonly json?: boolean | undefined },
  data: unknown,
  lines: () => readonly string[],
): void {
  const text = options.json === true ? JSON.stringify(data, null, 2) : lines().map(printable).join('\n')
  out.write(`${text}\n`)
}

/** Returns the lines of a table: a heading, and columns as wide as their content. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
