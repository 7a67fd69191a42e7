/** Returns the error of the field with this path (`params.temperature`), or undefined. */
export type FaultOf = (path: string) => string | undefined
