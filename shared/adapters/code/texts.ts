import { templateProblem, variablesOfTemplate } from '../templates/liquid.ts';
import { alwaysHolds } from './constant-condition.ts';
import { readsOfProgram } from './program-reads.ts';
import { type CodeKind, codeProblem, toProgram } from './programs.ts';

export interface FlowText {
  kind: CodeKind | 'template';
  text: string;
}

/** The variables that a text reads. */
export interface Reads {
  names: {
    name: string;
    /** True after `typeof`: the text checks whether the variable is set. */
    guarded: boolean;
    /** What the text shows of its type. */
    type?: 'array' | 'object' | undefined;
  }[];
  /** True if the text may read any variable. */
  everything: boolean;
}

/** @param at Its first element reports the text in progress to the waiting thread. */
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

/** `alwaysHolds`: whether an expression is constant; undefined if that depends on the variables. */
export const readTexts = (texts: readonly FlowText[]): { reads: Reads; alwaysHolds: boolean | undefined }[] =>
  texts.map((text) => ({
    reads: readsOf(text),
    alwaysHolds: text.kind === 'expression' ? alwaysHolds(toProgram('expression', text.text)) : undefined,
  }));

/** A text with a syntax error may read anything. */
function readsOf({ kind, text }: FlowText): Reads {
  try {
    if (kind !== 'template') return readsOfProgram(toProgram(kind, text));
    const names = variablesOfTemplate(text).map((read) => ({ ...read, guarded: false }));
    return { names, everything: false };
  } catch {
    return { names: [], everything: true };
  }
}
