import { createRequire } from 'node:module'
import type initSqlJs from 'sql.js'

export type SqlJs = initSqlJs.SqlJsStatic
export type SqlJsDatabase = initSqlJs.Database
export type SqlJsStatement = initSqlJs.Statement

/** An `import` of CommonJS loads a parser first, which takes as long as the start of a thread. */
const load = createRequire(import.meta.url)
let instance: Promise<SqlJs> | undefined

/** Returns sql.js, compiled once per thread. Closed databases return their memory to it. */
export function loadSqlJs(): Promise<SqlJs> {
  instance ??= (load('sql.js') as typeof initSqlJs)()
  return instance
}
