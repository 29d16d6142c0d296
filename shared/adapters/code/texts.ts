import { templateProblem, variablesOfTemplate } from '../templates/liquid.ts';
import { alwaysHolds } from './constant-condition.ts';
import { readsOfProgram } from './program-reads.ts';
import { type CodeKind, codeProblem, programOf } from './programs.ts';

/** A text of a flow that is more than text. */
export interface FlowText {
  kind: CodeKind | 'template';
  text: string;
}

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

/**
 * What keeps each text from being what it should be, or nothing.
 * @param at Its first element tells those who wait which text is being looked at.
 */
export function problemsOfTexts({
  texts,
  at,
}: {
  texts: readonly FlowText[];
  at: Int32Array;
}): (string | undefined)[] {
  return texts.map(({ kind, text }, index) => {
    Atomics.store(at, 0, index);
    return kind === 'template' ? templateProblem(text) : codeProblem(kind, text);
  });
}

/** What each text reads, and whether an expression always holds, or never; nothing where that depends on the variables. */
export const readTexts = (texts: readonly FlowText[]): { reads: Reads; alwaysHolds: boolean | undefined }[] =>
  texts.map((text) => ({
    reads: readsOf(text),
    alwaysHolds: text.kind === 'expression' ? alwaysHolds(programOf('expression', text.text)) : undefined,
  }));

/** Of a text that does not parse nothing can be told. */
function readsOf({ kind, text }: FlowText): Reads {
  try {
    if (kind !== 'template') return readsOfProgram(programOf(kind, text));
    const names = variablesOfTemplate(text).map((name) => ({ name, guarded: false }));
    return { names, everything: false };
  } catch {
    return { names: [], everything: true };
  }
}
