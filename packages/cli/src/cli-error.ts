/** A failure that its message explains: what is wrong, and what to do. */
export class CliError extends Error {}
