/** An error that the user of the demo can fix. */
export class DemoError extends Error {}
