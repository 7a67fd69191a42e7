/** A store of objects outside the database, which all instances have. */
export type ObjectStore = {
  put(day: number, name: string, bytes: Buffer): Promise<void>
  /** Returns a part of an object; null if the object or the part does not exist. */
  read(day: number, name: string, start: number, length: number): Promise<string | null>
  /** Returns the days with objects. */
  days(): Promise<number[]>
  /** Removes all objects of a day. */
  removeDay(day: number): Promise<void>
  close(): void
}
