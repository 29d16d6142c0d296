/** How often to ask for a run that has not ended, by its status. One that waits for somebody may do so for days. */
export const howOftenMs: Readonly<Record<string, number>> = { running: 3_000, paused: 15_000 };
