/** The beginning of a text as Unicode that the table takes: DynamoDB refuses half a character, where a cut may leave one. */
export const beginningOf = (text: string, charactersMax: number) =>
  text
    .slice(0, charactersMax)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();
