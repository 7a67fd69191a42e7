import { z } from 'zod'

/** Parses a whole number within bounds. */
export const whole = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'expected a whole number').transform(Number).pipe(z.number().min(min).max(max))

/** Returns true for a text that a request can have as the value of a header. */
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
