/** What code with tools may return, as JSON. */
export const resultCharactersMax = 200_000;
