import type { NumberedMemory, SummaryOfMemories } from '../../adapters/ports/memory-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { truncate } from '../../core/text.ts';
import { askMemoryModel, type MemoryAccess } from './access.ts';
import { summaryInstruction, summaryQuestion } from './prompts.ts';

/** Memories read for one call of the model, and their characters. */
const readMax = 200;
const promptCharactersMax = 100_000;
/** For one summary. The rest of the memories is for the next time. */
const roundsMax = 20;
const summaryCharactersMax = 4_000;

/** The stored summary, after the memories that it does not consider yet; undefined without memories. @throws StepError */
export async function memorySummary(access: MemoryAccess): Promise<string | undefined> {
  const { ports, profile, session } = access;
  const memory = await ports.memory.open(profile);
  let stored = await memory.summary(session);
  for (let round = 0; round < roundsMax; round++) {
    const summarised = stored?.through ?? 0;
    if (summarised >= memory.memoryCount) break;
    const { memories, through } = await memory.after(summarised, { session, limit: readMax });
    if (through === summarised) break;
    const fitting = takeFitting(memories);
    const last = fitting.length < memories.length ? (fitting.at(-1)?.number ?? summarised) : through;
    const text = fitting.length > 0 ? await nextText(access, stored, fitting) : (stored?.text ?? '');
    const next = { session, text, through: last };
    await memory.storeSummary(next, stored);
    stored = next;
  }
  return stored?.text || undefined;
}

async function nextText(
  access: MemoryAccess,
  stored: SummaryOfMemories | undefined,
  memories: readonly NumberedMemory[],
): Promise<string> {
  const instruction = summaryInstruction(summaryCharactersMax);
  const text = await askMemoryModel(access, { instruction, prompt: summaryQuestion(memories, stored?.text) });
  // The memories would otherwise count as considered.
  if (text === '')
    throw new StepError('The model returned an empty summary of the memory', { retryable: true });
  return truncate(text, summaryCharactersMax);
}

/** The first memories that fit a prompt: at least one. */
function takeFitting(memories: readonly NumberedMemory[]): readonly NumberedMemory[] {
  let characters = 0;
  const end = memories.findIndex(({ text }, index) => {
    characters += text.length;
    return index > 0 && characters > promptCharactersMax;
  });
  return end === -1 ? memories : memories.slice(0, end);
}
