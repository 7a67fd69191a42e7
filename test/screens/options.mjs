import { parseArgs } from 'node:util'
import { PlainError } from '../../scripts/lib/root.mjs'

const usage = `Usage: npm run screens -- [--only <page or picture>,…] [--theme light|dark] [--width 1440|900]
Takes pictures of every page and state of the console into .cache/screens/, and writes index.html there.`

export const themes = ['light', 'dark']
export const widths = [1440, 900]

/** Parses arguments. Throws the usage if one is unknown. @param {readonly string[]} args */
function parse(args) {
  const strings = /** @type {const} */ ({ type: 'string' })
  try {
    return parseArgs({ args: [...args], options: { only: strings, theme: strings, width: strings } }).values
  } catch {
    throw new PlainError(usage)
  }
}

/** Splits a picture's name: `prompt-edit-viewer-dark-900` is the page `prompt`, in the state `edit-viewer`. @param {string} name */
export function describePicture(name) {
  const [, base = '', theme = null, width = null] = /^(.+?)(?:-(light|dark)-(\d+))?$/.exec(name) ?? []
  const [page = '', ...state] = base.split('-')
  return { page, state: state.join('-'), base, theme, width: width === null ? null : Number(width) }
}

/**
 * Parses the arguments of `npm run screens`. Throws the usage if a value is not valid.
 * @param {readonly string[]} args
 */
export function readOptions(args) {
  const values = parse(args)
  const only = (values.only ?? '').split(',').filter((name) => name !== '')
  if (values.theme !== undefined && !themes.includes(values.theme)) throw new PlainError(usage)
  if (values.width !== undefined && !widths.includes(Number(values.width))) throw new PlainError(usage)
  return {
    isPartial: only.length > 0 || values.theme !== undefined || values.width !== undefined,
    themes: themes.filter((theme) => values.theme === undefined || theme === values.theme),
    widths: widths.filter((width) => values.width === undefined || width === Number(values.width)),
    /** Returns true if a picture of one of the pages is requested. @param {string[]} pages */
    wantsPage: (...pages) =>
      only.length === 0 || only.some((name) => pages.includes(describePicture(name).page)),
    /** Returns true if the picture of this name is requested. @param {string} name */
    wantsPicture: (name) => {
      const { page, base } = describePicture(name)
      return only.length === 0 || only.includes(page) || only.includes(base)
    },
  }
}

/** @typedef {ReturnType<typeof readOptions>} Options */
