/** The environments. A client that names any other one is accepted with a warning. */
export const environments = ['dev', 'test', 'prod'] as const
export type Environment = (typeof environments)[number]
