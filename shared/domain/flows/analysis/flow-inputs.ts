import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import { walkStepNodes } from '../checking/step-nodes.ts';
import { analyseTexts } from './text-analysis.ts';
import { findUnsetReads, readVariableUse } from './variables.ts';

export interface FlowInput {
  name: string;
  /** Whether every use of it checks first whether it is set. */
  optional: boolean;
  /** What the uses show of its type. */
  type?: 'array' | 'object' | undefined;
}

/** In the order of their first use. None if the texts take too long to analyse. @param steps Valid ones. */
export async function listFlowInputs(steps: unknown, sandbox: Sandbox): Promise<FlowInput[]> {
  const visits = [...walkStepNodes(steps, { path: ['steps'] })];
  const texts = visits.flatMap((visit) => visit.texts);
  const { readsOf } = await analyseTexts(texts, sandbox);
  if (!readsOf) return [];
  const reads = texts.flatMap((text) => readsOf(text).names);
  const uses = visits.map((visit) => readVariableUse(visit, readsOf));
  const inputs = [...findUnsetReads(uses)].flatMap(({ name, setter }) => (setter ? [] : [name]));
  return [...new Set(inputs)].map((name) => {
    const variableReads = reads.filter((read) => read.name === name);
    const types = new Set(variableReads.flatMap(({ type }) => type ?? []));
    return {
      name,
      optional: variableReads.every(({ guarded }) => guarded),
      type: types.size === 1 ? [...types][0] : undefined,
    };
  });
}
