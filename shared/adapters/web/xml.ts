import { SaxesParser } from 'saxes';

/**
 * The error of a text that is not well-formed XML, with line and column; undefined if it is. Rejects declared entities.
 */
export function xmlProblem(text: string): string | undefined {
  try {
    new SaxesParser({ position: true }).write(text).close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
