/**
 * Returns a record with these properties, all null, as a template to copy. It is parsed, because V8 turns an
 * object that grows by many properties into a dictionary, which is slow to copy and to read.
 */
export const emptyRecord = (names: readonly string[]): Record<string, null> =>
  JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`)
