/** What is wrong with the field of that path (`params.temperature`), or undefined. */
export type FaultOf = (path: string) => string | undefined
