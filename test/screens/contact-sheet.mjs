import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describePicture, themes, widths } from './options.mjs'

const style = `
:root { color-scheme: light dark }
body { margin: 2rem; font: 14px/1.5 system-ui, sans-serif }
table { border-collapse: collapse } th { text-align: left; font-weight: 600 }
th, td { padding: .5rem; vertical-align: top; border-top: 1px solid #8884 }
img { width: 260px; border: 1px solid #8886; display: block }
tbody th { position: sticky; left: 0; background: Canvas }`

const columnOrder = themes.flatMap((theme) => widths.map((width) => `${theme} ${width}`))

/** @param {string} text */
const escapeHtml = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** @param {string | undefined} file */
const cell = (file) => {
  if (file === undefined) return '<td></td>'
  const address = escapeHtml(encodeURIComponent(file))
  return `<td><a href="${address}"><img src="${address}" loading="lazy" alt="${escapeHtml(file)}"></a></td>`
}

/**
 * Returns a page with one row for each page and state, and one column for each theme and width.
 * Pictures without a theme, such as a printed page, are in the first column.
 * @param {readonly string[]} files names of PNG files
 */
export function contactSheet(files) {
  const pictures = files
    .filter((file) => file.endsWith('.png'))
    .map((file) => ({ file, ...describePicture(file.slice(0, -'.png'.length)) }))
    .toSorted((a, b) => a.page.localeCompare(b.page) || a.state.localeCompare(b.state))
  const columnOf = (/** @type {(typeof pictures)[number]} */ { theme, width }) =>
    theme === null ? '' : `${theme} ${width}`
  const taken = new Set(pictures.map(columnOf))
  const columns = columnOrder.filter((name) => taken.has(name))
  if (columns.length === 0) columns.push('')
  const rows = [...new Set(pictures.map(({ base }) => base))].map((base) => {
    const ofRow = pictures.filter((picture) => picture.base === base)
    const cells = columns.map((name, index) =>
      cell(ofRow.find((one) => columnOf(one) === name || (index === 0 && columnOf(one) === ''))?.file),
    )
    const { page = '', state = '' } = ofRow[0] ?? {}
    return `<tr><th>${escapeHtml(page)}</th><th>${escapeHtml(state)}</th>${cells.join('')}</tr>`
  })
  const head = ['Page', 'State', ...columns].map((name) => `<th>${escapeHtml(name)}</th>`).join('')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screens of Promptdeck</title>
<style>${style}</style><h1>Screens of Promptdeck</h1><p>${pictures.length} pictures</p>
<table><thead><tr>${head}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table></html>
`
}

/** Writes `index.html` for the pictures of a folder. Returns its path. @param {string} folder */
export async function writeContactSheet(folder) {
  const path = join(folder, 'index.html')
  await writeFile(path, contactSheet(await readdir(folder)))
  return path
}
