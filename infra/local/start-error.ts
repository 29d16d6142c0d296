/** Why the stack cannot start, in words that tell its user what to do. */
export class StartError extends Error {}
