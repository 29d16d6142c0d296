/** The variables of a run, by name. */
export type Variables = Record<string, unknown>;
