/** A store of objects outside the database, which all instances share. Days are counted since 1970. */
export type ObjectStore = {
  /** Stores a new object durably. */
  put(day: number, name: string, bytes: Buffer): Promise<void>
  /** Returns `length` bytes of an object from the byte `start`, as UTF-8; null if the object or the part does not exist. */
  read(day: number, name: string, start: number, length: number): Promise<string | null>
  days(): Promise<number[]>
  removeDay(day: number): Promise<void>
  close(): void
}
