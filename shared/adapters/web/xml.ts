import { SaxesParser } from 'saxes';

/** With line and column; undefined if it is well-formed. Rejects declared entities. */
export function xmlProblem(text: string): string | undefined {
  try {
    new SaxesParser({ position: true }).write(text).close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
