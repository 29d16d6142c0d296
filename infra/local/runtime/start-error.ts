/** The stack cannot start. The message tells the user what to do. */
export class StartError extends Error {}
