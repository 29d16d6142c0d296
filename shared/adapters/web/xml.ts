import { SaxesParser } from 'saxes';

/** What keeps a text from being well-formed XML, with line and column, or nothing. Declared entities are unknown to it. */
export function xmlProblem(text: string): string | undefined {
  try {
    new SaxesParser({ position: true }).write(text).close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
