/** The beginning of a stranger's text, in one line. Without characters that change what people see around it. */
export const plainStart = (text: string, charactersMax: number) =>
  text
    .slice(0, charactersMax * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, charactersMax)
    .toWellFormed();
