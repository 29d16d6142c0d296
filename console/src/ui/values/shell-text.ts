/** A text as one word of a shell, where `'` ends only at the next one. */
export const shellText = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
