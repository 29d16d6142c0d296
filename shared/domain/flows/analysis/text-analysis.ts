import { readTextsTask } from '../../../adapters/code/tasks.ts';
import type { FlowText, Reads } from '../../../adapters/code/texts.ts';
import { type Sandbox, SandboxError } from '../../../adapters/sandbox/sandbox.ts';
import { type ConfigText, isFlowText } from '../steps/config-texts.ts';
import type { AlwaysHolds } from './reachability.ts';

/** The time limit for all texts of one flow. */
const timeoutMs = 5_000;

export interface TextAnalysis {
  alwaysHolds: AlwaysHolds;
  /** Absent if the analysis timed out. */
  readsOf?: (text: ConfigText) => Reads;
}

export async function analyseTexts(
  configTexts: readonly ConfigText[],
  sandbox: Sandbox,
): Promise<TextAnalysis> {
  const texts = new Map(
    configTexts.filter(isFlowText).map(({ kind, text }) => [nameText({ kind, text }), { kind, text }]),
  );
  try {
    const found = texts.size > 0 ? await sandbox(readTextsTask, [...texts.values()], { timeoutMs }) : [];
    const foundByName = new Map([...texts.keys()].map((name, index) => [name, found[index]]));
    return {
      alwaysHolds: (text) => foundByName.get(nameText({ kind: 'expression', text }))?.alwaysHolds,
      readsOf: (text) => {
        if (text.kind === 'schema') return nothing;
        return (isFlowText(text) ? foundByName.get(nameText(text))?.reads : undefined) ?? readVariable(text);
      },
    };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { alwaysHolds: () => undefined };
  }
}

const nameText = ({ kind, text }: FlowText) => `${kind} ${text}`;

/** A JSON Schema reads no variable. */
const nothing: Reads = { names: [], everything: false };

/** A path reads one variable. */
const readVariable = ({ text }: ConfigText): Reads => ({
  names: [{ name: /^[^.[]+/.exec(text)?.[0] ?? '', guarded: false }],
  everything: false,
});
