import initSqlJs from 'sql.js'

export type SqlJs = initSqlJs.SqlJsStatic
export type SqlJsDatabase = initSqlJs.Database
export type SqlJsStatement = initSqlJs.Statement

let instance: Promise<SqlJs> | undefined

/** The engine, compiled once per thread. A database that is closed gives its memory back to it. */
export function loadSqlJs(): Promise<SqlJs> {
  instance ??= initSqlJs()
  return instance
}
