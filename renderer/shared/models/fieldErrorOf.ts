/** Returns the error of the field with this path (`params.temperature`), or undefined. */
export type FieldErrorOf = (path: string) => string | undefined
