import { pathToFileURL } from 'node:url'

/** Runs a built file in this process. @param {string} path */
export const importFile = (path) => import(pathToFileURL(path).href)
