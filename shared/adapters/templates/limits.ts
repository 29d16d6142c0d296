/** The longest template, in characters, and what filling those of one step may take in a thread. */
export const charactersMax = 100_000;
export const fillMsMax = 1_000;
/** The longest text that a template makes, and what its references may bring into one value. */
export const filledCharactersMax = 4_000_000;

/** Whether there is nothing to fill in a text. */
export const isPlain = (text: string) => !text.includes('{{') && !text.includes('{%');
