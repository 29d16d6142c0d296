import { parseMemory } from '../../domain/memory/limits.ts';
import { embedText, type MemoryAccess } from './access.ts';

/** Saves a text. `isNew`: false if the profile already had it. @throws StepError */
export async function saveMemory(
  { ports, profile, session, signal }: Omit<MemoryAccess, 'model'>,
  text: string,
): Promise<{ id: string; isNew: boolean }> {
  const memory = parseMemory(text);
  const memories = await ports.memory.open(profile);
  const embeddingModel = memories.embeddingModel ?? (await ports.model.embeddingModel());
  const vector = await embedText({ ports, signal }, embeddingModel, memory);
  return memories.save({ text: memory, session, vector, embeddingModel });
}
