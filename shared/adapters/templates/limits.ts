/** The longest template in characters, and the time limit for rendering a step's templates in a thread. */
export const templateCharactersMax = 100_000;
export const fillMsMax = 1_000;
/** The longest output of a template, and the limit for all references in one value. */
export const filledCharactersMax = 4_000_000;

/** Whether a text contains no template syntax. */
export const isPlain = (text: string) => !text.includes('{{') && !text.includes('{%');
