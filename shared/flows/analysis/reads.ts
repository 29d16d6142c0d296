import { programOf, programOfExpression } from '../sandbox.ts';
import { variablesOfTemplate } from '../templates.ts';
import type { ConfigText } from './texts.ts';

/** The variables that a text reads. */
export interface Reads {
  names: {
    name: string;
    /** Reading it asks whether it is set: it stands after `typeof`. */
    guarded: boolean;
  }[];
  /** True where it may read any. */
  everything: boolean;
}

const named = (...names: string[]): Reads => ({
  names: names.map((name) => ({ name, guarded: false })),
  everything: false,
});

/** What may be read of a text of which nothing can be told. */
export const anything: Reads = { names: [], everything: true };

/** What a text reads; of one that does not parse nothing can be told. */
export async function readsOf({ kind, text }: ConfigText): Promise<Reads> {
  if (kind === 'path') return named(/^[^.[]+/.exec(text)?.[0] ?? '');
  try {
    if (kind === 'template') return named(...variablesOfTemplate(text));
    const program =
      kind === 'expression'
        ? programOfExpression(text)
        : programOf(text, kind === 'script' ? 'javascript' : 'typescript');
    return (await import('./script.ts')).readsOfProgram(program);
  } catch {
    return anything;
  }
}
