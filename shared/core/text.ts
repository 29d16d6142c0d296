/** The beginning of a text as Unicode that the table takes: DynamoDB refuses half a character, where a cut may leave one. */
export const truncate = (text: string, charactersMax: number) =>
  text
    .slice(0, charactersMax)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();

/** A text without what it ends in: a regular expression such as `/0+$/` takes the square of a long text's time. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
