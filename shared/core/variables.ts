/** The variables of a run, by their names. */
export type Variables = Record<string, unknown>;
