/**
 * The file of the authority cannot be used. It is never replaced silently, because every device would have to
 * trust the new authority. The message states what to do.
 */
export class AuthorityError extends Error {}

/** The operator's certificate or key cannot be used. The message names the variable and what to do. */
export class OwnCertificateError extends Error {}
