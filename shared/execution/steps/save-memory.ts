import { StepError } from '../../core/errors/step-error.ts';
import { readPath } from '../../core/json/json.ts';
import { type SaveMemoryConfig, saveMemoryStep } from '../../domain/flows/step-types/save-memory.ts';
import { openNamedMemory } from '../step-support/memory-named.ts';
import { defineActingRunner, type StepPlanning } from '../step-support/step-runner.ts';
import { saveMemory } from '../tool-support/memory.ts';

const textsMax = 50;

export const saveMemoryRunner = defineActingRunner(saveMemoryStep, {
  async plan(step) {
    const { profile, session } = await openNamedMemory(step);
    return { request: { profile, session, texts: listTexts(step), clear: step.config.clear ?? false } };
  },

  async perform({ profile, session, texts, clear }, { ports, signal }) {
    const memory = { profile, session, ports, signal };
    const cleared = clear ? await (await ports.memory.open(profile)).clear() : 0;
    const ids: string[] = [];
    let saved = 0;
    for (const text of texts) {
      const { id, isNew } = await saveMemory(memory, text);
      ids.push(id);
      if (isNew) saved++;
    }
    return { output: { profile, ids, saved, cleared } };
  },
});

/** @throws StepError */
function listTexts({ config, variables }: StepPlanning<SaveMemoryConfig>): string[] {
  const { contentVariable, defaultValue } = config;
  if (contentVariable === undefined) return [];
  const value = readPath(variables, contentVariable) ?? defaultValue;
  if (value === undefined || value === null)
    throw new StepError(`The variable ${contentVariable} is not set`);
  const items: unknown[] = Array.isArray(value) ? value : [value];
  if (items.length <= textsMax) {
    return items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  }
  throw new StepError(
    `${contentVariable} contains ${items.length} texts; the maximum is ${textsMax} per step`,
  );
}
