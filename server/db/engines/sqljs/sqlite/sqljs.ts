import initSqlJs from 'sql.js'

export type SqlJs = initSqlJs.SqlJsStatic
export type SqlJsDatabase = initSqlJs.Database
export type SqlJsStatement = initSqlJs.Statement

let instance: Promise<SqlJs> | undefined

/** Returns sql.js, compiled once per thread. Closed databases return their memory to it. */
export function loadSqlJs(): Promise<SqlJs> {
  instance ??= initSqlJs()
  return instance
}
